// A report: all that a finished run says, written into the page. Filters and pages are made here, as the server does.

const SUSPECTED = 0.5;

export function embedded(told) {
  const { listing, kinds } = told;
  const folded = listing.texts.map(text => text.toLowerCase());

  function row(number) {
    const kind = kinds[listing.kinds[number]];
    const label = listing.labels[number] === 1;
    const wrong = kind.covered !== null && kind.covered !== label;
    const against = label ? kind.negatives : kind.positives;
    const suspicion = wrong ? (against + 1) / (kind.positives + kind.negatives + 1) : 0;
    return {
      number, text: listing.texts[number], given: label, label, counted: true, covered: kind.covered, wrong,
      rules: kind.rules, suspicion, kind: listing.kinds[number], decision: null,
    };
  }

  const rows = listing.texts.map((_, number) => row(number));
  const shown = {
    all: () => true,
    right: one => one.covered === one.label,
    wrong: one => one.wrong,
    suspected: one => one.suspicion > SUSPECTED,
    decided: () => false,
  };

  function fits(question) {
    const rules = question.rules === undefined || question.rules === null ? null : question.rules;
    const wanted = (question.search ?? "").trim().toLowerCase();
    const rule = question.rule === undefined || question.rule === null || question.rule === "" ? null : Number(question.rule);
    return one => shown[question.show ?? "all"](one)
      && (!question.label || (question.label === "pos") === one.label)
      && (rule === null || (rule === -1 ? !one.covered : one.rules.includes(rule)))
      && (rules === null || one.rules.join(",") === rules)
      && (!wanted || folded[one.number].includes(wanted));
  }

  function examples(question) {
    const found = rows.filter(fits(question));
    if (question.order === "suspicion") found.sort((one, other) => other.suspicion - one.suspicion || one.number - other.number);
    const offset = Number(question.offset ?? 0), page = found.slice(offset, offset + Number(question.limit ?? 50));
    return { total: found.length, offset, rows: page, kinds: Object.fromEntries(page.map(one => [one.kind, kinds[one.kind]])) };
  }

  function example(number) {
    const one = rows[number];
    const explanation = told.explanations[number] ?? null;
    const neighbours = rows.filter(other => other.kind === one.kind && other.number !== number).slice(0, 12);
    return { ...one, line: listing.lines[number], explanation, alike: kinds[one.kind], neighbours };
  }

  async function exported(to, dialect) {
    const found = told.exports[dialect ? `${to} ${dialect}` : to];
    if (found?.text === undefined) throw new Error(found?.problem ?? "this form is not in the report");
    return found;
  }

  return {
    live: false,
    state: async () => told.state,
    program: async () => told.program,
    examples: async question => examples(question),
    example: async number => example(number),
    exported,
    data: async () => told.data,
    act: async () => ({}),
  };
}
