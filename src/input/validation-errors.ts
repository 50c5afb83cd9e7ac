export type ErrorPath = readonly (string | number)[];

/** One thing wrong with a request, as `/v1` reports it. `type` and `msg` are in Pydantic's words where it has them. */
export interface RequestError {
  readonly loc: ErrorPath;
  readonly msg: string;
  readonly type: string;
}

const mostErrors = 1000;

/** The errors of one request. Once it is full, nothing more is kept and readers stop looking. */
export class ValidationErrors {
  readonly list: RequestError[] = [];

  get full(): boolean {
    return this.list.length >= mostErrors;
  }

  add(loc: ErrorPath, type: string, msg: string): void {
    if (!this.full) this.list.push({ loc, msg, type });
  }
}
