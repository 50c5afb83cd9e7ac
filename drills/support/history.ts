/** A write: its mark, start and end, and the acknowledged revision (undefined without a response). */
export interface Write {
  readonly mark: string;
  readonly begun: number;
  readonly ended: number;
  readonly revision: number | undefined;
}

/** A read: every mark in the response, start and end, and the revision of the response. */
export interface Read {
  readonly marks: readonly string[];
  readonly begun: number;
  readonly ended: number;
  readonly revision: number;
  readonly kind: string;
}

export interface Final {
  readonly marks: readonly string[];
  readonly revision: number;
}

/** Returns the violations in a history: mixed revisions, lost or reordered writes, stale reads. */
export function checkHistory(writes: readonly Write[], reads: readonly Read[], final: Final): string[] {
  return [
    ...checkMixtures(reads),
    ...checkRevisions(writes, reads),
    ...checkRealTime(writes, reads),
    ...checkFinal(writes, final),
  ];
}

function checkMixtures(reads: readonly Read[]): string[] {
  return reads
    .filter(read => read.marks.length > 1 || (read.marks.length === 0 && read.revision > 0))
    .map(read => `a ${read.kind} of revision ${read.revision} mixes ${read.marks.join(', ') || 'nothing'}`);
}

/** Every revision must have one mark in all responses. */
function checkRevisions(writes: readonly Write[], reads: readonly Read[]): string[] {
  const markOf = new Map<number, string>();
  const problems: string[] = [];
  const claim = (revision: number | undefined, mark: string | undefined) => {
    if (revision === undefined || mark === undefined) return;
    const known = markOf.get(revision);
    if (known === undefined) markOf.set(revision, mark);
    else if (known !== mark) problems.push(`revision ${revision} is both ${known} and ${mark}`);
  };
  for (const write of writes) claim(write.revision, write.mark);
  for (const read of reads) claim(read.revision, read.marks[0]);
  return problems;
}

/** A request that starts after an acknowledgement must see that revision or a newer one. */
function checkRealTime(writes: readonly Write[], reads: readonly Read[]): string[] {
  const acknowledged = writes.flatMap(({ ended, revision }) =>
    revision === undefined ? [] : [{ at: ended, revision }],
  );
  const seen = reads.map(({ ended, revision }) => ({ at: ended, revision }));
  const known = [...acknowledged, ...seen].sort((a, b) => a.at - b.at);
  const later = [
    ...writes.flatMap(({ begun, revision, mark }) =>
      revision === undefined ? [] : [{ begun, least: revision - 1, what: `write ${mark}` }],
    ),
    ...reads.map(({ begun, revision, kind }) => ({ begun, least: revision, what: `a ${kind}` })),
  ].sort((a, b) => a.begun - b.begun);
  const problems: string[] = [];
  let newest = 0;
  let next = 0;
  for (const { begun, least, what } of later) {
    for (; next < known.length && (known[next]?.at ?? 0) < begun; next++) {
      newest = Math.max(newest, known[next]?.revision ?? 0);
    }
    if (least < newest) problems.push(`${what} is at revision ${least} after revision ${newest} was known`);
  }
  return problems;
}

/** The last acknowledged write must be visible, unless one without a response followed it. */
function checkFinal(writes: readonly Write[], final: Final): string[] {
  const newest = Math.max(0, ...writes.map(write => write.revision ?? 0));
  if (final.marks.length !== 1) return [`the final state bears ${final.marks.join(', ')}`];
  if (final.revision < newest) return [`revision ${newest} was acknowledged, the final state is ${final.revision}`];
  const last = writes.find(write => write.mark === final.marks[0]);
  if (final.revision === newest && last?.revision !== newest) return [`revision ${newest} is not ${final.marks[0]}`];
  return [];
}
