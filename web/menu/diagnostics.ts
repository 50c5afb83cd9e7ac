import type { DiagnosticSeverity } from '../../src/generated/web.ts';
import { element } from '../element.ts';
import type { Diagnostic } from './client.ts';

const headings: Readonly<Record<DiagnosticSeverity, string>> = {
  ERROR: 'Errors',
  WARNING: 'Warnings',
  INFO: 'Worth knowing',
};

/** Renders the diagnostics of the whole menu configuration, whichever menus are available. */
export function renderDiagnostics(diagnostics: readonly Diagnostic[]): Node[] {
  const heading = element('h2', {}, 'Diagnostics');
  if (diagnostics.length === 0) return [heading, element('p', { class: 'small' }, 'Nothing doubtful was found.')];
  const bySeverity = Map.groupBy(diagnostics, ({ severity }) => severity);
  return [heading, ...[...bySeverity].map(([severity, found]) => renderSeverity(severity, found))];
}

function renderSeverity(severity: DiagnosticSeverity, found: readonly Diagnostic[]): HTMLElement {
  const summary = element('summary', {}, `${headings[severity]} (${found.length})`);
  const details = element(
    'details',
    { class: severity.toLowerCase() },
    summary,
    element('ul', {}, ...found.map(renderDiagnostic)),
  );
  details.open = found.length <= 20;
  return details;
}

function renderDiagnostic({ message, path, code }: Diagnostic): HTMLElement {
  return element('li', {}, message, element('code', { title: code }, path.join('.')));
}
