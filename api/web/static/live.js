// Keeps a page up to date: server-sent events say that something has moved, htmx fetches the page anew and swaps the part
// that changes. Where no event comes through, it asks at intervals.
(() => {
  const POLL_MS = 5000;
  const GAP_MS = 1000; // At most one swap a second, however much is going on.
  const part = () => document.getElementById("live");
  let waiting = null;
  let polling = null;
  let last = 0;

  function refresh() {
    if (waiting || document.hidden) return;
    waiting = setTimeout(() => {
      waiting = null;
      last = Date.now();
      htmx.trigger(part(), "refresh");
    }, Math.max(0, last + GAP_MS - Date.now()));
  }

  function say(text) {
    const state = document.getElementById("live-state");
    if (state) state.textContent = text;
  }

  function poll() {
    say("Asking for news every few seconds.");
    polling ??= setInterval(refresh, POLL_MS);
  }

  function listen() {
    const source = new EventSource(part().dataset.live);
    source.addEventListener("hello", () => {
      clearInterval(polling);
      polling = null;
      say("This page keeps itself up to date.");
    });
    source.addEventListener("changed", refresh);
    source.addEventListener("error", poll);
    window.addEventListener("pagehide", () => source.close());
  }

  // What the service is still computing is no news of the database: ask until it is there.
  setInterval(() => { if (document.querySelector("[data-busy]")) refresh(); }, POLL_MS);

  document.addEventListener("visibilitychange", () => { if (!document.hidden && part()?.dataset.live) refresh(); });
  document.addEventListener("DOMContentLoaded", () => { if (part()?.dataset.live) listen(); });
})();
