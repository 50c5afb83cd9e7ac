import { memoize } from '@carte/base/memoize';
import { runInSlices, type Steps, TimeSlice } from '@carte/base/time-slice';
import type { DiagnosticSeverity, MenuDiagnostic, MenuDiagnosticCode } from '../../generated/graph.ts';
import type { Configuration } from '../configuration.ts';
import { byKind, type ConfigurationInput, menuKinds } from '../kinds.ts';
import { checkAvailability } from './availability.ts';
import { severityOf } from './codes.ts';
import {
  createContext,
  type EntityChecks,
  type EntityPath,
  type Finding,
  type Findings,
  linkInput,
  type ValidationContext,
} from './context.ts';
import { checkCycles } from './cycles.ts';
import { capitalizedNoun, displayName, formatPath } from './messages.ts';
import { checkGroupLimits, checkQuantities } from './modifiers.ts';
import { checkNoMenu, reachabilityChecks } from './reachability.ts';
import { stockChecks } from './stock.ts';
import { checkTexts, checkTranslations, siblingChecks } from './texts.ts';
import { checkItemDetails, checkPriceChange, checkPrices, checkPriceUnits, checkTaxRates } from './values.ts';

/** A finding about a valid configuration that is probably not intended. */
export interface Diagnostic extends Finding {
  readonly severity: DiagnosticSeverity;
}

const maxDiagnostics = 1000;

/** Some steps look at thousands of modifier items. */
const stepsPerLook = 1;

const entityChecks: readonly EntityChecks[] = [
  reachabilityChecks,
  stockChecks,
  byKind(() => checkTexts),
  siblingChecks,
  { menus: checkAvailability, items: checkPrices, modifierGroups: checkGroupLimits, modifierItems: checkQuantities },
  { items: checkItemDetails, modifierItems: checkPriceChange },
];

/** The checks of whole configurations. */
const checks = [checkNoMenu, checkEntities, checkCycles, checkTranslations, checkPriceUnits, checkTaxRates];

function* checkEntities(context: ValidationContext): Findings {
  for (const { name } of menuKinds) {
    const checksOfKind = entityChecks.flatMap(ofKinds => ofKinds[name] ?? []);
    for (const [index, entity] of context[name].entries()) {
      for (const check of checksOfKind) {
        for (const problem of check(entity as never, context)) {
          if (!problem) {
            yield;
            continue;
          }
          const { code, at = [], text, message } = problem;
          const sentence = message ?? `${capitalizedNoun(name)} ${displayName(entity)} ${text}.`;
          yield { code, path: [name, index, ...at], message: sentence };
        }
      }
      yield;
    }
  }
}

/** Runs all checks on a configuration with valid references; sorts by severity and path, and truncates. */
export function* diagnose(input: ConfigurationInput): Steps<Diagnostic[]> {
  return yield* runChecks(yield* createContext(yield* linkInput(input)));
}

/** Diagnoses a stored configuration. */
export const diagnosticsOf = memoize(async (configuration: Configuration): Promise<readonly MenuDiagnostic[]> => {
  const slice = new TimeSlice();
  const context = await runInSlices(createContext(configuration), slice, stepsPerLook);
  const diagnostics = await runInSlices(runChecks(context), slice, stepsPerLook);
  return diagnostics.map(({ path, ...diagnostic }) => ({
    ...diagnostic,
    path: path.map(String),
    place: formatPath(path),
    externalId: context[path[0]][Number(path[1])]?.externalId ?? null,
  }));
});

function* runChecks(context: ValidationContext): Steps<Diagnostic[]> {
  const byCode = new Map<MenuDiagnosticCode, Diagnostic[]>();
  for (const check of checks) {
    for (const finding of check(context)) {
      if (!finding) {
        yield;
        continue;
      }
      const diagnostics = byCode.get(finding.code) ?? [];
      if (diagnostics.length === 0) byCode.set(finding.code, diagnostics);
      if (diagnostics.length < maxDiagnostics) diagnostics.push({ ...finding, severity: severityOf[finding.code] });
    }
  }
  const ranked = [...byCode.values()].flatMap(found =>
    found.map(diagnostic => ({ diagnostic, rank: rankOf(diagnostic) })),
  );
  yield;
  const sorted = ranked.sort((one, other) => one.rank - other.rank || byPath(one.diagnostic, other.diagnostic));
  return sorted.slice(0, maxDiagnostics).map(({ diagnostic }) => diagnostic);
}

const severities: readonly DiagnosticSeverity[] = ['ERROR', 'WARNING', 'INFO'];
const listNames = menuKinds.map(kind => kind.name);

/** Sorts by severity, then by list, then by entity. */
function rankOf({ severity, path: [list, index = -1] }: Diagnostic): number {
  return (severities.indexOf(severity) * listNames.length + listNames.indexOf(list)) * 2 ** 32 + Number(index) + 1;
}

const byPath = (one: Diagnostic, other: Diagnostic): number =>
  comparePaths(one.path, other.path) || compare(one.code, other.code);

function comparePaths(a: EntityPath, b: EntityPath): number {
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (part !== other) return compare(part, other);
  }
  return a.length - b.length;
}

function compare(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
