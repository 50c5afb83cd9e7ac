import { readFileSync } from 'node:fs';
import { InvalidInput, OperatorError, type ValidationError } from '@carte/base/errors';
import { parseJson } from '@carte/base/json';
import { runAtOnce } from '@carte/base/time-slice';
import { type ErrorPath, type RequestError, ValidationErrors } from '@carte/base/validation';
import { toSnakePath } from '@carte/operations/input/names';
import { compileReader } from '@carte/operations/input/reader';
import { menuDocumentType } from '../import/documents.ts';
import { defaultMenuLimits } from '../limits.ts';
import { type Diagnostic, diagnose } from '../menu/diagnostics/diagnose.ts';
import { formatPath } from '../menu/diagnostics/messages.ts';
import type { ConfigurationInput } from '../menu/kinds.ts';
import { validateConfiguration, validatePartialConfiguration } from '../menu/validate.ts';
import { terminal } from './terminal.ts';

interface Report {
  /** Errors for which POST responds with 422. */
  readonly errors: readonly RequestError[];
  /** Findings in a valid configuration. */
  readonly diagnostics: readonly (Omit<Diagnostic, 'path'> & { readonly path: ErrorPath })[];
}

/** Validates a menu configuration as POST does, and prints its errors or diagnostics. */
export function checkMenu(file: string, { json = false }: { json?: boolean }): void {
  const report = createReport(readFile(file));
  terminal.out(json ? JSON.stringify(report, null, 2) : format(file, report));
  if (report.errors.length > 0) throw new OperatorError(`POST would reject ${file} with 422.`);
}

function createReport(text: string): Report {
  const type = menuDocumentType();
  const snakePath = (path: ErrorPath) => toSnakePath(type, path);
  const toRequestError = ({ path: [, ...path], type, message }: ValidationError) => {
    return { loc: ['body', ...snakePath(path)], msg: message, type };
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
      for (const { loc, type, msg } of runAtOnce(validatePartialConfiguration(input)).map(toRequestError))
        errors.add(loc, type, msg);
    return { errors: errors.list, diagnostics: [] };
  }
  try {
    const configuration = runAtOnce(validateConfiguration(input as ConfigurationInput, defaultMenuLimits));
    const diagnostics = runAtOnce(diagnose(configuration)).map(diagnostic => ({
      ...diagnostic,
      path: snakePath(diagnostic.path),
    }));
    return { errors: [], diagnostics };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { errors: error.errors.map(toRequestError), diagnostics: [] };
  }
}

function format(file: string, { errors, diagnostics }: Report): string {
  if (errors.length === 0 && diagnostics.length === 0) return `${file} is valid and has no diagnostics.`;
  const rejected = errors.map(({ loc, msg }) => `INVALID  ${formatPath(loc)}: ${msg}`);
  const found = diagnostics.map(({ severity, path, message, code }) => {
    return `${severity.padEnd(7)}  ${formatPath(path)}: ${message} [${code}]`;
  });
  return [...rejected, ...found].join('\n');
}

function readFile(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
