import type { Operation } from '@carte/operations/contract/contract';
import type { Coalesce } from '@carte/operations/execute';
import type { RenderedResponse } from '@carte/operations/http/response-cache';
import { SingleFlight } from '../scheduling/batch-schedule.ts';
import { currentShare } from '../scheduling/current-request.ts';
import type { Caller } from '../scope.ts';

type Flights = Map<string, SingleFlight<RenderedResponse>>;

/** Coalesces equal requests of one caller, who waits for itself alone. Worth it for lists; loads by id are batched across requests anyway. */
export function createCoalescing(): Coalesce<Caller> {
  const byOperation = new WeakMap<Operation, WeakMap<Caller, Flights>>();
  return ({ operation, caller, variables }, render) => {
    const byCaller = byOperation.get(operation) ?? new WeakMap<Caller, Flights>();
    byOperation.set(operation, byCaller);
    const flights = byCaller.get(caller) ?? new Map<string, SingleFlight<RenderedResponse>>();
    byCaller.set(caller, flights);
    const key = `${currentShare().id} ${JSON.stringify(variables)}`;
    const flight = flights.get(key) ?? new SingleFlight(render, () => flights.delete(key));
    flights.set(key, flight);
    return flight.get();
  };
}
