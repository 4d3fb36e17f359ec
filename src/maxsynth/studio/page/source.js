// Where the page has its answers from: the server that it came from, or, in a report, what is written in it.

import { embedded } from "./embedded.js";

async function answer(response) {
  const told = await response.json();
  if (!response.ok) throw new Error(told.problem ?? "this went wrong");
  return told;
}

function asked(name, given = {}) {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(given)) if (value !== null && value !== undefined && value !== "") words.set(key, value);
  return fetch(`api/${name}?${words}`).then(answer);
}

function live() {
  return {
    live: true,
    state: (run, since) => asked("state", { run, since }),
    program: () => asked("program"),
    examples: question => asked("examples", question),
    example: number => asked("example", { number }),
    exported: (to, dialect) => asked("export", { to, dialect }),
    data: () => asked("data"),
    front: () => asked("front"),
    doubts: () => asked("doubts"),
    act: (name, given = {}) => fetch(`api/${name}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(given),
    }).then(answer),
  };
}

const written = document.getElementById("report-data");
export const source = written ? embedded(JSON.parse(written.textContent)) : live();
