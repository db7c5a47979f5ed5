// Cards drawn with text and lines alone, for every page that shows a table.
const Cards = (() => {
  const SUITS = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
  const RANKS = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
  const PATHS = {
    c: "M8 1a3.4 3.4 0 0 0-2.9 5.1A3.4 3.4 0 1 0 7.2 11.6c0 1.5-.7 2.6-1.9 3.4h5.4c-1.2-.8-1.9-1.9-1.9-3.4a3.4 3.4 0 1 0 2.1-5.5A3.4 3.4 0 0 0 8 1Z",
    d: "M8 .7 13.3 8 8 15.3 2.7 8Z",
    h: "M8 14.8C5.2 12.3 1 9 1 5.3 1 3 2.7 1.4 4.7 1.4c1.4 0 2.6.8 3.3 2.1.7-1.3 1.9-2.1 3.3-2.1 2 0 3.7 1.6 3.7 3.9 0 3.7-4.2 7-7 9.5Z",
    s: "M8 .8c2.2 3.3 6.7 5.5 6.7 9 0 2.1-1.5 3.4-3.2 3.4-1.1 0-2-.5-2.7-1.4.1 1.5.8 2.6 1.9 3.4H5.3c1.1-.8 1.8-1.9 1.9-3.4-.7.9-1.6 1.4-2.7 1.4-1.7 0-3.2-1.3-3.2-3.4 0-3.5 4.5-5.7 6.7-9Z",
  };
  const SVG = "http://www.w3.org/2000/svg";

  function make(tag, classes, ...children) {
    const element = document.createElement(tag);
    if (classes) element.className = classes;
    element.append(...children);
    return element;
  }

  function suit(letter, classes) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("class", classes);
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", PATHS[letter]);
    svg.append(path);
    return svg;
  }

  function spoken(text) {
    return text[0] === "X" ? (text === "Xr" ? "red joker" : "black joker") : `${RANKS[text[0]] ?? text[0]} of ${SUITS[text[1]]}`;
  }

  function card(text, fresh, tag = "li") {
    const red = "dhr".includes(text[1]);
    const element = make(tag, `card${red ? " red" : ""}${fresh ? " new" : ""}`);
    element.setAttribute("role", tag === "li" ? "listitem" : "img");
    element.setAttribute("aria-label", spoken(text));
    if (text[0] === "X") {
      element.classList.add("joker");
      element.append(make("span", "rank", "JOKER"));
    } else {
      element.append(make("span", "rank", text[0] === "T" ? "10" : text[0]), suit(text[1], "small-suit"), suit(text[1], "big-suit"));
    }
    return element;
  }

  const split = (cards) => cards.match(/../g) ?? [];

  function list(classes, label, cards) {
    const element = make("ul", classes, ...cards);
    element.setAttribute("aria-label", label);
    return element;
  }

  // What is in *now* and was not in *before*, copy by copy.
  function added(before, now) {
    const left = [...before];
    return now.filter((one) => {
      const at = left.indexOf(one);
      if (at < 0) return true;
      left.splice(at, 1);
      return false;
    });
  }

  return { make, card, split, list, added };
})();
