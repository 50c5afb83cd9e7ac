export type Place = readonly (string | number)[];

/** One thing wrong with a request, as `/v1` reports it. `type` and `msg` are in Pydantic's words where it has them. */
export interface InputFault {
  readonly loc: Place;
  readonly msg: string;
  readonly type: string;
}

const mostFaults = 1000;

/** The faults of one request. Once it is full, nothing more is kept and readers stop looking. */
export class Faults {
  readonly list: InputFault[] = [];

  get full(): boolean {
    return this.list.length >= mostFaults;
  }

  add(loc: Place, type: string, msg: string): void {
    if (!this.full) this.list.push({ loc, msg, type });
  }
}
