import { readFileSync } from 'node:fs';
import { InvalidInput, OperatorError, type ValidationError } from '../errors.ts';
import type { MenuConfigurationInput } from '../generated/graph.ts';
import { inputTypeOf } from '../import/documents.ts';
import { parseJson } from '../input/json.ts';
import { toSnakePath } from '../input/names.ts';
import { compileReader } from '../input/reader.ts';
import { type ErrorPath, type RequestError, ValidationErrors } from '../input/validation-errors.ts';
import { type Diagnostic, diagnose } from '../menu/diagnostics/diagnose.ts';
import { formatPath } from '../menu/diagnostics/messages.ts';
import { defaultMenuLimits } from '../menu/limits.ts';
import { validateConfiguration, validatePartialConfiguration } from '../menu/validate.ts';
import { terminal } from './terminal.ts';

interface Report {
  /** What the route would refuse the body for. */
  readonly errors: readonly RequestError[];
  /** What it would take, but a merchant would want to know. */
  readonly diagnostics: readonly (Omit<Diagnostic, 'path'> & { readonly path: ErrorPath })[];
}

/** Validates a menu configuration as POST would, and prints what is wrong or doubtful. */
export function checkMenu(file: string, { json = false }: { json?: boolean }): void {
  const report = reportOn(readFile(file));
  terminal.out(json ? JSON.stringify(report, null, 2) : describe(file, report));
  if (report.errors.length > 0) throw new OperatorError(`POST would refuse ${file}.`);
}

function reportOn(text: string): Report {
  const type = inputTypeOf('MenuConfigurationInput');
  const snakePath = (path: ErrorPath) => toSnakePath(type, path);
  const inBody = ({ path: [, ...below], type, message }: ValidationError) => {
    return { loc: ['body', ...snakePath(below)], msg: message, type };
  };
  let body: unknown;
  try {
    body = parseJson(text);
  } catch (error) {
    const msg = `JSON decode error: ${error instanceof Error ? error.message : error}`;
    return { errors: [{ loc: ['body'], msg, type: 'json_invalid' }], diagnostics: [] };
  }
  const errors = new ValidationErrors();
  const input = compileReader(type).read(body, ['body'], errors);
  if (errors.list.length > 0) {
    if (!errors.full)
      for (const { loc, type, msg } of validatePartialConfiguration(input).map(inBody)) errors.add(loc, type, msg);
    return { errors: errors.list, diagnostics: [] };
  }
  try {
    const configuration = validateConfiguration(input as MenuConfigurationInput, defaultMenuLimits);
    const diagnostics = diagnose(configuration).map(found => ({ ...found, path: snakePath(found.path) }));
    return { errors: [], diagnostics };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { errors: error.errors.map(inBody), diagnostics: [] };
  }
}

function describe(file: string, { errors, diagnostics }: Report): string {
  if (errors.length === 0 && diagnostics.length === 0) return `${file} is fine.`;
  const refused = errors.map(({ loc, msg }) => `REFUSED  ${formatPath(loc)}: ${msg}`);
  const doubtful = diagnostics.map(({ severity, path, message, code }) => {
    return `${severity.padEnd(7)}  ${formatPath(path)}: ${message} [${code}]`;
  });
  return [...refused, ...doubtful].join('\n');
}

function readFile(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
