import type {
  DiagnosticSeverity,
  MenuConfigurationInput,
  MenuDiagnostic,
  MenuDiagnosticCode,
} from '../../generated/graph.ts';
import { runInSlices, type Steps } from '../../scheduling/time-slice.ts';
import { type Configuration, memoize } from '../configuration.ts';
import { menuKinds } from '../kinds.ts';
import { checkAvailability } from './availability.ts';
import { severityOf } from './codes.ts';
import { createContext, type Finding, type Path } from './context.ts';
import { checkCycles } from './cycles.ts';
import { checkDuplicateNames } from './duplicate-names.ts';
import { formatPath } from './messages.ts';
import { checkModifierGroups, checkModifierItems } from './modifiers.ts';
import { checkReachability } from './reachability.ts';
import { checkStock } from './stock.ts';
import { checkTexts } from './texts.ts';
import { checkItemDetails, checkPriceOutliers, checkPrices } from './values.ts';

/** A finding about a valid configuration that is probably not intended. */
export interface Diagnostic extends Finding {
  readonly severity: DiagnosticSeverity;
}

const maxDiagnostics = 1000;

const checks = [
  checkReachability,
  checkCycles,
  checkModifierGroups,
  checkModifierItems,
  checkStock,
  checkAvailability,
  checkTexts,
  checkDuplicateNames,
  checkPrices,
  checkPriceOutliers,
  checkItemDetails,
];

/** Runs all checks on a configuration with valid references; sorts by severity and path, and truncates. */
export function* diagnose(configuration: MenuConfigurationInput): Steps<Diagnostic[]> {
  const context = yield* createContext(configuration);
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

/** Diagnoses a stored configuration. */
export const diagnosticsOf = memoize(async (configuration: Configuration): Promise<readonly MenuDiagnostic[]> => {
  const lists = {
    menus: [...configuration.menus.values()],
    categories: [...configuration.categories.values()],
    items: [...configuration.items.values()],
    modifierGroups: [...configuration.modifierGroups.values()],
    modifierItems: [...configuration.modifierItems.values()],
  };
  const diagnostics = await runInSlices(diagnose(lists));
  return diagnostics.map(({ path, ...diagnostic }) => ({
    ...diagnostic,
    path: path.map(String),
    place: formatPath(path),
    externalId: lists[path[0]][Number(path[1])]?.externalId ?? null,
  }));
});

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

function comparePaths(a: Path, b: Path): number {
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
