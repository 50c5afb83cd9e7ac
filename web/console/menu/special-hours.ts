import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { HoursFragment as Hours } from '../../../src/generated/web.ts';
import { formatLocalTime } from '../../menu/local-time.ts';
import type { App } from '../app.ts';
import { openOperations } from '../client.ts';
import { renderChoice } from '../dialog.ts';
import { errorAt, type FieldErrors, fieldErrors } from '../fields.ts';
import { icon } from '../icon.ts';
import { consoleLocale, type StoreContext } from '../session.ts';

const { operation } = openOperations(new URL('edit.graphql', import.meta.url));
const fetchHours = operation('ConsoleSpecialHours');
const setHours = operation('SetSpecialHours');

type Period = Hours['timePeriods'][number];
type Row = Hours & { readonly key: number };

/** Of dates, which have no timezone. */
const date = new Intl.DateTimeFormat(consoleLocale, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});
const wholeEvening: Period = { startTime: '12:00', endTime: '22:00' };

/** The dates of a store with other hours than those of the week, and the dialog in which they are changed. */
export function createSpecialHours(app: App, store: StoreContext) {
  /** Undefined until they are loaded: whoever edited none of them would remove all. */
  let hours: readonly Hours[] | undefined;
  fetchHours({ store: store.id }).then(({ store: found }) => {
    hours = found?.specialHours ?? [];
    app.update();
  }, app.fail);

  const today = () => formatLocalTime(new Date(), store.timezone).slice(0, 10);
  const describe = ({ timePeriods }: Hours) =>
    timePeriods.length === 0
      ? 'closed'
      : timePeriods.map(({ startTime, endTime }) => `${startTime}–${endTime}`).join(', ');

  function ask(known: readonly Hours[]): void {
    let key = 0;
    let errors: FieldErrors = {};
    // What is over stays as it is, after the rows, so that these have the indexes of the errors.
    const over = known.filter(({ date }) => date < today());
    let rows: readonly Row[] = known.filter(({ date }) => date >= today()).map(row => ({ ...row, key: key++ }));
    const replace = (row: Row, change: Partial<Hours>) => {
      rows = rows.map(other => (other.key === row.key ? { ...other, ...change } : other));
      app.update();
    };
    const add = () => {
      rows = [...rows, { key: key++, date: '', name: null, timePeriods: [] }];
      app.update();
    };
    const remove = (row: Row) => {
      rows = rows.filter(({ key: other }) => other !== row.key);
      app.update();
    };
    const textIn = ({ target }: Event) => (target as HTMLInputElement).value;

    async function send(event: SubmitEvent): Promise<void> {
      event.preventDefault();
      const input = [...rows.map(({ key: _key, ...row }) => row), ...over];
      try {
        hours =
          (await setHours({ input: { storeId: store.id, hours: input } })).setSpecialHours?.store.specialHours ?? hours;
        app.dialogs.close();
        app.notices.info('The special hours are changed.');
      } catch (error) {
        errors = fieldErrors(error);
        app.update();
      }
    }

    function renderPeriods(row: Row): TemplateResult {
      const { timePeriods } = row;
      const change = (index: number, part: Partial<Period>) =>
        replace(row, {
          timePeriods: timePeriods.map((period, at) => (at === index ? { ...period, ...part } : period)),
        });
      return html`
        ${timePeriods.map(
          ({ startTime, endTime }, index) => html`
            <span class="line">
              <input type="time" aria-label="From" .value=${startTime} @change=${(event: Event) => change(index, { startTime: textIn(event) })}> –
              <input type="time" aria-label="To" .value=${endTime} @change=${(event: Event) => change(index, { endTime: textIn(event) })}>
              <button type="button" class="quiet" aria-label="Remove these hours" @click=${() => replace(row, { timePeriods: timePeriods.filter((_period, at) => at !== index) })}>${icon('x-mark')}</button>
            </span>`,
        )}
        <span class="line">${timePeriods.length === 0 ? 'Closed' : nothing}
          <button type="button" @click=${() => replace(row, { timePeriods: [...timePeriods, wholeEvening] })}>${icon('plus')} Hours</button></span>`;
    }

    function renderRow(row: Row, index: number): TemplateResult {
      const errorsOfRow = Object.entries(errors).filter(([path]) => path.startsWith(`hours.${index}.`));
      const ofDate = errors[`hours.${index}.date`] !== undefined;
      return html`
        <fieldset>
          <legend class="visually-hidden">${row.date ? date.format(new Date(row.date)) : 'New date'}</legend>
          <div class="line">
            <label>Date <input type="date" aria-invalid=${ofDate} .value=${row.date} @change=${(event: Event) => replace(row, { date: textIn(event) })}></label>
            <label>Name, for guests <input maxlength="255" autocomplete="off" dir="auto" .value=${row.name ?? ''} @change=${(event: Event) => replace(row, { name: textIn(event) || null })}></label>
          </div>
          ${renderPeriods(row)}
          ${errorsOfRow.map(([path]) => errorAt(errors, path))}
          <button type="button" class="quiet" @click=${() => remove(row)}>${icon('trash')} Remove this date</button>
        </fieldset>`;
    }

    app.dialogs.open({
      title: 'Special hours',
      body: () => html`
        <form class="form" novalidate @submit=${send}>
          <p class="small">They replace the hours of the week on a date, for all menus.</p>
          ${repeat(rows, row => row.key, renderRow)}
          <button type="button" @click=${add}>${icon('plus')} Add a date</button>
          ${errorAt(errors, 'hours')} ${errorAt(errors, '')}
          ${renderChoice(app, html`<button class="main">Save</button>`)}
        </form>`,
    });
  }

  return {
    view(): TemplateResult | typeof nothing {
      const known = hours;
      if (!known) return nothing;
      const shown = known.filter(({ date }) => date >= today());
      const canEdit = app.can('MENU');
      if (shown.length === 0 && !canEdit) return nothing;
      return html`
        <section class="panel" aria-labelledby="special-hours">
          <div class="line"><h2 id="special-hours">Special hours</h2>
            ${canEdit ? html`<button type="button" @click=${() => ask(known)}>${icon('pencil-square')} Edit<span class="visually-hidden"> the special hours</span></button>` : nothing}</div>
          ${
            shown.length === 0
              ? html`<p class="small">None: the hours of the week hold on every day.</p>`
              : html`<dl class="hours">${shown.map(
                  row =>
                    html`<div><dt><time datetime=${row.date}>${date.format(new Date(row.date))}</time>${row.name ? html` · <bdi>${row.name}</bdi>` : nothing}</dt><dd>${describe(row)}</dd></div>`,
                )}</dl>`
          }
        </section>`;
    },
  };
}
