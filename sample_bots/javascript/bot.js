// A bot in JavaScript: it needs the files in proto/ and two packages, and nothing else of this project.
//
//     npm install
//     ARENA_ADDRESS=127.0.0.1:50151 ARENA_OWNER_TOKEN=... node bot.js
//
// It registers itself with its owner's token, dials in with the token that it is given (ARENA_TOKEN in place of that, where
// there is one already), and plays every game: out as soon as the arena offers it, melds at once, high cards away first.
'use strict'

const path = require('node:path')
const grpc = require('@grpc/grpc-js')
const loader = require('@grpc/proto-loader')

const NAME = process.env.BOT_NAME || 'javascript'
const GAMES = ['gin', 'one_oh_one', 'basic', 'club', 'rummy500', 'indian13', 'contract']
const PROTO = process.env.PROTO_DIR || path.join(__dirname, '..', '..', 'proto')
const FINAL = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED', 'INVALID_ARGUMENT', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'])

const ALIVE = { 'grpc.keepalive_time_ms': 10000, 'grpc.keepalive_timeout_ms': 5000 } // Notices a line that is cut.

// Codes of simple actions (cards.proto).
const KNOCK = 64, KNOCK_LAST = 117, DRAW_STOCK = 128, PASS = 130, KNOCK_BARE = 131, BIG_GIN = 133, SHOW_BEST = 134, GO_OUT = 139

const files = ['table', 'bots'].map((name) => `rummy/wire/v1/${name}.proto`)
const definition = loader.loadSync(files, { includeDirs: [PROTO], longs: String, defaults: true })
const wire = grpc.loadPackageDefinition(definition).rummy.wire.v1

const rank = (card) => (card < 52 ? Math.min(card % 13, 9) : -1) // Kings, queens, jacks and tens count the same; jokers stay.

function choose(decision) {
  const codes = [...decision.legal]
  const ends = codes.find((code) => (code >= KNOCK && code <= KNOCK_LAST) || [KNOCK_BARE, BIG_GIN, GO_OUT].includes(code))
  if (ends !== undefined) return { code: ends }
  if (decision.moves.length) return decision.moves[0] // A meld or a lay-off.
  for (const code of [SHOW_BEST, PASS, DRAW_STOCK]) if (codes.includes(code)) return { code }
  const discards = codes.filter((code) => code < 54).sort((one, other) => rank(other) - rank(one))
  return discards.length ? { code: discards[0] } : decision.fallback
}

function credentials(address) {
  const local = /^(unix:|localhost:|127\.|\[::1\])/.test(address)
  return local ? grpc.credentials.createInsecure() : grpc.credentials.createSsl()
}

function register(address, ownerToken) {
  const metadata = new grpc.Metadata()
  metadata.set('authorization', `Bearer ${ownerToken}`)
  const bots = new wire.Bots(address, credentials(address))
  const request = { name: NAME, version: '1', games: GAMES, language: 'javascript' }
  return new Promise((resolve, reject) => {
    bots.Register(request, metadata, (error, reply) => (error ? reject(error) : resolve(reply.token)))
  })
}

// Plays until the connection ends; gives the status with which it did. Tells which arbiter this is, and where all are.
function play(address, token, hear) {
  const call = new wire.Table(address, credentials(address), ALIVE).Play()
  call.write({ hello: { token, protocol: 1, games: GAMES.map((game) => ({ game })), sdk: 'none/1' } })
  call.on('data', (message) => {
    if (message.welcome) {
      console.log(`${message.welcome.bot} is connected`)
      hear(message.welcome.arbiter, message.welcome.arbiters)
    }
    if (message.arbiters.length) hear(null, message.arbiters)
    for (const { match, reason } of message.rejections) console.error(`match ${match}: rejected: ${reason}`)
    const answers = message.decisions.map((decision) => {
      return { match: decision.match, number: decision.number, actions: [choose(decision)] }
    })
    if (answers.length) call.write({ answers })
  })
  return new Promise((resolve) => {
    call.on('error', () => {}) // The status says it too.
    call.on('status', resolve)
    call.on('end', () => call.end())
  })
}

const dialled = new Set() // Addresses, and the arbiters' own names for themselves.

// Stays connected to the arbiter at an address, and to all others that it names.
async function stay(address, token) {
  dialled.add(address)
  for (let pause = 100; ; pause = Math.min(2 * pause, 5000)) {
    const status = await play(address, token, (arbiter, all) => {
      pause = 50
      if (arbiter) dialled.add(arbiter)
      for (const other of all) if (!dialled.has(other)) stay(other, token).catch(end)
    })
    const why = grpc.status[status.code]
    if (FINAL.has(why)) throw new Error(`${why}: ${status.details}`)
    console.error(`${address}: ${why}: ${status.details} Dialling again in ${2 * pause} ms.`)
    await new Promise((resolve) => setTimeout(resolve, 2 * pause))
  }
}

function end(error) {
  console.error(error.message)
  process.exit(1)
}

async function main() {
  const address = process.env.ARENA_ADDRESS || '127.0.0.1:50151'
  const token = process.env.ARENA_TOKEN || (await register(address, process.env.ARENA_OWNER_TOKEN))
  await stay(address, token)
}

main().catch(end)
