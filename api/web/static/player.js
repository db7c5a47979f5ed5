// Steps through a replay. One deal at a time is fetched; the address names the position as #deal.step, from 1 and 0.
(() => {
  const { make, card, split, list, added } = Cards;
  const PHASES = { offer: "is offered a card", start: "begins a turn", play: "may meld", discard: "has to discard", show: "has to show the hand", go_out: "may go out" };
  const byId = (id) => document.getElementById(id);
  const narrow = matchMedia("(max-width: 40rem)");
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  let player, names, address;
  const fetched = new Map();
  let deals = [], deal = 0, step = 0, frames = [], timer = null;

  function name(seat) {
    return names[seat].cloneNode(true);
  }

  function seatBox(frame, seat, before) {
    const hand = split(frame.hands[seat]);
    const fresh = before ? added(split(before.hands[seat]), hand) : [];
    const head = make("div", "seat-head", make("span", "who", name(seat)));
    if (frame.dealer === seat) head.append(make("span", "chip", "dealer"));
    if (frame.status[seat] === 0) head.append(make("span", "chip", "out"));
    if (frame.status[seat] === 2 && frame.hands[seat]) head.append(make("span", "chip", "left the deal"));
    if (frame.turn === seat && frame.phase) head.append(make("span", "quiet", PHASES[frame.phase] ?? ""));
    const end = frame.turn === null ? deals[deal].points[seat] : null;
    head.append(make("span", "points", `score ${frame.scores[seat]}`, end ? ` ${end < 0 ? "\u2212" : "+"} ${Math.abs(end)} points` : ""));
    const cards = hand.map((one) => card(one, fresh.includes(one)));
    const box = make("section", "seat", head, cards.length ? list("hand", "Hand", cards) : make("p", "none hand", "no cards in hand"));
    box.classList.toggle("acted", frame.seat === seat);
    box.classList.toggle("turn", frame.turn === seat);
    box.classList.toggle("gone", frame.status[seat] === 0);
    box.dataset.seat = seat;
    const own = frame.melds.map((meld, number) => [meld, number]).filter(([meld]) => meld.seat === seat);
    if (own.length) box.append(melds(own, before));
    return box;
  }

  function melds(own, before) {
    const element = make("div", "melds");
    for (const [meld, number] of own) {
      const cards = split(meld.cards);
      const fresh = before ? added(split(before.melds[number]?.cards ?? ""), cards) : [];
      element.append(list("meld", "Meld", cards.map((one) => card(one, fresh.includes(one)))));
    }
    return element;
  }

  function middle(frame, before) {
    const back = make("div", frame.stock ? "card back" : "none", frame.stock ? "" : "empty");
    if (frame.stock) { back.setAttribute("role", "img"); back.setAttribute("aria-label", "Face-down stock"); }
    const stock = make("div", "stock", make("h3", "", `Stock: ${frame.stock}`), back);
    const pile = split(frame.pile);
    const room = fitting();
    const shown = pile.slice(-room);
    const fresh = before && pile.length > split(before.pile).length;
    const cards = shown.map((one, at) => card(one, fresh && at === shown.length - 1));
    const hidden = pile.length - shown.length;
    if (hidden) cards.unshift(make("li", "rest", `${hidden} more,`));
    const label = `Discard pile: ${pile.length}`;
    const box = cards.length ? list("pile", `${label}, the top card last`, cards) : make("p", "none", "empty");
    const thrown = split(frame.aside).map((one) => card(one, before && before.aside !== frame.aside));
    const aside = thrown.length ? [make("div", "", make("h3", "", "Aside"), list("pile", "Cut for the wild rank, or thrown face down in the knock", thrown))] : [];
    return make("div", "middle", stock, make("div", "", make("h3", "", label), box), ...aside);
  }

  // How many cards of the pile have room, beside the stock or on a narrow page below it, each but the last half covered.
  function fitting() {
    const felt = byId("felt");
    const width = parseFloat(getComputedStyle(felt).getPropertyValue("--card-w")) * parseFloat(getComputedStyle(document.documentElement).fontSize);
    const beside = narrow.matches ? width + 100 : 3 * width + 210;
    return Math.max(2, Math.floor((felt.clientWidth - beside) / (width * 0.48 + 4)));
  }

  // The table never shrinks while one steps through a deal, so that the page below stays where it is.
  function keepHeight(felt) {
    const height = Math.max(parseFloat(felt.style.minHeight) || 0, felt.offsetHeight);
    felt.style.minHeight = `${height}px`;
  }

  function sentence(frame) {
    const line = make("span", "");
    if (frame.seat !== null) line.append(make("bdi", "", name(frame.seat).textContent), " ");
    line.append(frame.text);
    if (frame.fault && frame.act) line.append(make("span", "bad", ` (strike: ${frame.fault}; the default was played)`));
    if (frame.turn === null) {
      line.append(`. The deal ends: ${deals[deal].reason}.`);
    }
    return line;
  }

  function draw() {
    const frame = frames[step];
    const before = step > 0 ? frames[step - 1] : null;
    const seats = frame.hands.map((_, seat) => seatBox(frame, seat, before));
    byId("felt").replaceChildren(seats[0], middle(frame, before), ...seats.slice(1));
    keepHeight(byId("felt"));
    byId("said").replaceChildren(sentence(frame));
    byId("counter").textContent = `${step} of ${frames.length - 1}`;
    const slider = byId("slider");
    slider.max = frames.length - 1;
    slider.value = step;
    slider.setAttribute("aria-valuetext", `${step} of ${frames.length - 1}: ${byId("said").textContent}`);
    byId("deal").value = deal;
    byId("first").disabled = byId("back").disabled = deal === 0 && step === 0;
    byId("last").disabled = step === frames.length - 1;
    byId("forward").disabled = deal === deals.length - 1 && step === frames.length - 1;
    mark();
    history.replaceState(null, "", `#${deal + 1}.${step}`);
    player.dataset.at = `${deal + 1}.${step}`;
  }

  function mark() {
    const log = byId("log");
    log.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const line = log.children[step];
    line.setAttribute("aria-current", "step");
    const top = line.offsetTop - log.clientHeight / 2;
    log.scrollTo({ top, behavior: timer || still.matches ? "auto" : "smooth" });
  }

  function fillLog() {
    byId("log").replaceChildren(...frames.map((frame, number) => {
      const button = make("button", "", make("span", "n", String(number)), sentence(frame));
      button.type = "button";
      button.addEventListener("click", () => go(deal, number));
      return make("li", "", button);
    }));
  }

  function load(number) {
    if (!fetched.has(number)) {
      fetched.set(number, fetch(`${address}?deal=${number}`).then(async (answer) => {
        const body = await answer.json();
        if (!answer.ok) throw new Error(body.message);
        return body;
      }).catch((error) => { fetched.delete(number); throw error; }));
    }
    return fetched.get(number);
  }

  // Goes to a step of a deal; Infinity is its last one.
  async function go(toDeal, toStep) {
    try {
      const part = await load(Math.max(0, Math.min(toDeal, byId("deal").length - 1)));
      const changed = part.frames !== frames;
      deals = part.deals;
      deal = part.deal;
      frames = part.frames;
      step = Math.max(0, Math.min(toStep, frames.length - 1));
      if (changed) fillLog();
      draw();
      if (deal + 1 < deals.length) load(deal + 1).catch(() => {});
    } catch (error) {
      pause();
      byId("said").textContent = `The replay could not be loaded: ${error.message}`;
    }
  }

  const forward = () => step < frames.length - 1 ? go(deal, step + 1) : deal < deals.length - 1 ? go(deal + 1, 0) : pause();
  const back = () => step > 0 ? go(deal, step - 1) : deal > 0 ? go(deal - 1, Infinity) : null;

  function pause() {
    clearInterval(timer);
    timer = null;
    byId("play").setAttribute("aria-pressed", "false");
    byId("play").setAttribute("aria-label", "Play");
    byId("said").setAttribute("aria-live", "polite");
  }

  function play() {
    if (deal === deals.length - 1 && step === frames.length - 1) go(0, 0);
    timer = setInterval(forward, Number(byId("speed").value));
    byId("play").setAttribute("aria-pressed", "true");
    byId("play").setAttribute("aria-label", "Pause");
    byId("said").setAttribute("aria-live", "off"); // Not every card of a running replay is read out.
  }

  const by = (move) => () => { pause(); move(); };
  const KEYS = {
    ArrowLeft: by(back), ArrowRight: by(forward), Home: by(() => go(deal, 0)), End: by(() => go(deal, Infinity)),
    PageUp: by(() => go(deal - 1, 0)), PageDown: by(() => deal < deals.length - 1 && go(deal + 1, 0)), " ": () => timer ? pause() : play(),
  };

  function key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !KEYS[event.key]) return;
    const on = event.target;
    if (on.matches("select, textarea, input:not([type=range])")) return;
    if (event.key === " " && on.matches("button, a, summary")) return; // Space presses what has the focus.
    const inside = player.contains(on);
    if (!inside && (event.key === " " || event.key.startsWith("Page") || event.key === "Home" || event.key === "End")) return; // These scroll the page.
    event.preventDefault();
    KEYS[event.key]();
  }

  function fromAddress() {
    const found = /^#(\d{1,6})\.(\d{1,6})$/.exec(location.hash);
    return found ? [Number(found[1]) - 1, Number(found[2])] : [0, 0];
  }

  function start() {
    player = byId("player");
    address = player.dataset.frames;
    names = [...byId("seats").content.children].map((line) => line.firstElementChild);
    byId("first").addEventListener("click", by(() => go(deal, 0)));
    byId("back").addEventListener("click", by(back));
    byId("forward").addEventListener("click", by(forward));
    byId("last").addEventListener("click", by(() => go(deal, Infinity)));
    byId("play").addEventListener("click", () => timer ? pause() : play());
    byId("speed").addEventListener("change", () => { if (timer) { pause(); play(); } });
    byId("slider").addEventListener("input", (event) => { pause(); go(deal, Number(event.target.value)); });
    byId("deal").addEventListener("change", (event) => { pause(); go(Number(event.target.value), 0); });
    document.addEventListener("keydown", key);
    window.addEventListener("resize", () => { byId("felt").style.minHeight = ""; if (frames.length) draw(); });
    window.addEventListener("hashchange", () => go(...fromAddress()));
    go(...fromAddress());
  }

  document.addEventListener("DOMContentLoaded", start);
})();
