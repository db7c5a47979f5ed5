// The chart of a bot's ratings: a line for each version by fixtures played, with whiskers where an error is known.
(() => {
  const COLOURS = ["--accent", "--warm", "--back", "--bad"];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function columns(points) {
    const versions = [...new Set(points.map((point) => point.version_id))];
    const lines = versions.map((id) => {
      const mine = points.filter((point) => point.version_id === id);
      const start = { played: mine[0].played - mine[0].fixtures, rating: mine[0].before, error: null };
      return { name: mine[0].version, steps: new Map([start, ...mine].map((point) => [point.played, point])) };
    });
    const x = [...new Set(lines.flatMap((line) => [...line.steps.keys()]))].sort((a, b) => a - b);
    const series = lines.map(({ name, steps }) => ({
      name,
      ratings: x.map((played) => steps.get(played)?.rating ?? null),
      errors: x.map((played) => steps.get(played)?.error ?? null),
    }));
    return { x, series };
  }

  function whiskers(series) {
    return (chart) => {
      const context = chart.ctx;
      context.save();
      context.lineWidth = 1.5 * devicePixelRatio;
      series.forEach((one, number) => {
        context.strokeStyle = colour(COLOURS[number % COLOURS.length]);
        context.globalAlpha = 0.55;
        one.errors.forEach((error, index) => {
          if (error === null) return;
          const rating = one.ratings[index];
          const left = chart.valToPos(chart.data[0][index], "x", true);
          const ends = [rating - error, rating + error].map((value) => chart.valToPos(value, "y", true));
          const cap = 3 * devicePixelRatio;
          context.beginPath();
          context.moveTo(left, ends[0]);
          context.lineTo(left, ends[1]);
          for (const end of ends) { context.moveTo(left - cap, end); context.lineTo(left + cap, end); }
          context.stroke();
        });
      });
      context.restore();
    };
  }

  function draw(box, ladder) {
    const { x, series } = columns(ladder.points);
    const bounds = series.flatMap((one) => one.ratings.flatMap((rating, i) => rating === null ? [] : [rating - (one.errors[i] ?? 0), rating + (one.errors[i] ?? 0)]));
    const low = Math.min(...bounds), high = Math.max(...bounds), room = Math.max(10, (high - low) * 0.12);
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, font: "12px system-ui, sans-serif" };
    const options = {
      width: box.clientWidth - 16, height: 280,
      scales: { x: { time: false, range: (_, least, most) => [least, Math.max(most, 1)] }, y: { range: () => [low - room, high + room] } },
      axes: [{ ...axis, label: "fixtures played", labelFont: axis.font, labelSize: 20 }, { ...axis, size: 56 }],
      series: [
        { label: "fixtures", value: (_, value) => value ?? "–" },
        ...series.map((one, number) => ({
          label: `version ${one.name}`, stroke: colour(COLOURS[number % COLOURS.length]), width: 2, spanGaps: true,
          points: { show: x.length < 60, size: 6 },
          value: (_, value, __, index) => value === null || value === undefined ? "–" : value.toFixed(0) + (index !== null && one.errors[index] ? ` ± ${one.errors[index].toFixed(0)}` : ""),
        })),
      ],
      hooks: { draw: [whiskers(series)] },
    };
    return new uPlot(options, [x, ...series.map((one) => one.ratings)], box);
  }

  async function show(box) {
    const answer = await fetch(box.dataset.ratings);
    if (!answer.ok) { box.textContent = "The ratings could not be loaded."; return; }
    const ladder = (await answer.json()).ladders.find((one) => one.ladder === box.dataset.ladder);
    let chart = draw(box, ladder);
    new ResizeObserver(() => chart.setSize({ width: box.clientWidth - 16, height: 280 })).observe(box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { chart.destroy(); chart = draw(box, ladder); });
  }

  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("[data-ratings]").forEach(show));
})();
