import { checkAvailability } from './diagnostics/availability.ts';
import { checkChoices } from './diagnostics/choices.ts';
import { checkCircularity } from './diagnostics/circularity.ts';
import { type DiagnosticCode, type Severity, severityOf } from './diagnostics/codes.ts';
import { checkDetails } from './diagnostics/details.ts';
import { checkDuplicates } from './diagnostics/duplicates.ts';
import { checkFlaws } from './diagnostics/findings.ts';
import { checkPriceLevels } from './diagnostics/priceLevels.ts';
import { checkPrices } from './diagnostics/prices.ts';
import { checkQuantities } from './diagnostics/quantities.ts';
import { checkReachability } from './diagnostics/reachability.ts';
import { checkStock } from './diagnostics/stock.ts';
import {
  type DiagnosedConfiguration,
  type Finding,
  listNames,
  type Path,
  type Subject,
  subjectOf,
} from './diagnostics/subject.ts';
import { textsOf } from './diagnostics/texts.ts';
import { checkTranslations } from './diagnostics/translations.ts';

/** Something that the shape of a configuration allows but a merchant would want to know. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  /** Into the configuration as posted, e.g. `['items', 3, 'price']`. */
  readonly path: readonly (string | number)[];
  /** A plain sentence that names the values, for a merchant. */
  readonly message: string;
}

interface PostedDiagnostic extends Diagnostic {
  readonly path: Path;
}

/** Enough to mend a menu by; the worst come first. */
const mostDiagnostics = 1000;

const checks = [
  checkReachability,
  checkCircularity,
  checkChoices,
  checkQuantities,
  checkStock,
  checkAvailability,
  checkTexts,
  checkDuplicates,
  checkPrices,
  checkPriceLevels,
  checkDetails,
];

/** Everything doubtful in a configuration whose references hold, by severity and then by place. */
export function diagnose(configuration: DiagnosedConfiguration): PostedDiagnostic[] {
  const subject = subjectOf(configuration);
  const found = new Map<DiagnosticCode, PostedDiagnostic[]>();
  for (const check of checks) {
    for (const finding of check(subject)) {
      const alike = found.get(finding.code) ?? [];
      if (alike.length === 0) found.set(finding.code, alike);
      if (alike.length < mostDiagnostics) alike.push({ ...finding, severity: severityOf[finding.code] });
    }
  }
  return [...found.values()].flat().sort(bySeverityAndPlace).slice(0, mostDiagnostics);
}

function* checkTexts(subject: Subject): Generator<Finding> {
  const texts = textsOf(subject);
  yield* checkFlaws(texts);
  yield* checkTranslations(texts);
}

const severities: readonly Severity[] = ['ERROR', 'WARNING', 'INFO'];

function bySeverityAndPlace(a: PostedDiagnostic, b: PostedDiagnostic): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    listNames.indexOf(a.path[0]) - listNames.indexOf(b.path[0]) ||
    comparePaths(a.path, b.path) ||
    compare(a.code, b.code)
  );
}

function comparePaths(a: Path, b: Path): number {
  for (const [at, part] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (part !== other) return compare(part, other);
  }
  return a.length - b.length;
}

function compare(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
