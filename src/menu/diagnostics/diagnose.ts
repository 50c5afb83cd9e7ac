import { memoize } from '@carte/base/memoize';
import { runInSlices, type Steps } from '@carte/base/time-slice';
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
        for (const { code, at = [], text, message } of check(entity as never, context)) {
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
  const context = await runInSlices(createContext(configuration));
  const diagnostics = await runInSlices(runChecks(context));
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
  return [...byCode.values()].flat().sort(bySeverityAndPath).slice(0, maxDiagnostics);
}

const severities: readonly DiagnosticSeverity[] = ['ERROR', 'WARNING', 'INFO'];
const listNames = menuKinds.map(kind => kind.name);

function bySeverityAndPath(a: Diagnostic, b: Diagnostic): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    listNames.indexOf(a.path[0]) - listNames.indexOf(b.path[0]) ||
    comparePaths(a.path, b.path) ||
    compare(a.code, b.code)
  );
}

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
