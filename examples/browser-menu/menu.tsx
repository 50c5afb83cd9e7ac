import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

export const url = `${import.meta.env.VITE_CARTE_URL ?? 'http://127.0.0.1:4000'}/graphql`;
export const headers = { 'x-api-key': import.meta.env.VITE_CARTE_KEY ?? '' };

export const query = `query Menu($store: ID!, $languages: [String!]!) {
  store(id: $store) {
    id
    currency
    menus {
      id
      name { text(languages: $languages) }
      categories {
        id
        items { id name { text(languages: $languages) } price inStock }
      }
    }
  }
}`;
export const variables = { store: 'lisbon-baixa', languages: navigator.languages };

interface Text {
  readonly text: string | null;
}

interface Item {
  readonly id: string;
  readonly name: Text | null;
  readonly price: number;
  readonly inStock: boolean;
}

export interface MenuQuery {
  readonly store: {
    readonly currency: string | null;
    readonly menus: readonly {
      readonly id: string;
      readonly name: Text | null;
      readonly categories: readonly { readonly items: readonly Item[] }[];
    }[];
  } | null;
}

interface MenuProps {
  readonly data: MenuQuery | undefined;
  readonly error: Error | undefined;
  readonly refresh: () => void;
}

export function Menu({ data, error, refresh }: MenuProps) {
  const { currency, menus = [] } = data?.store ?? {};
  const format = new Intl.NumberFormat(navigator.language, { style: 'currency', currency: currency ?? 'EUR' });
  const units = 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2);
  return (
    <>
      <button type="button" onClick={refresh}>
        Refresh
      </button>
      <p role="status">{error && `The menu cannot be loaded: ${error.message}`}</p>
      <main>
        {menus.map(({ id, name, categories }) => (
          <section key={id}>
            <h2>{name?.text}</h2>
            {categories
              .flatMap(({ items }) => items)
              .map(item => (
                <p key={item.id}>
                  {item.name?.text} {item.inStock ? format.format(item.price / units) : 'sold out'}
                </p>
              ))}
          </section>
        ))}
      </main>
    </>
  );
}

export function render(page: ReactNode): void {
  createRoot(document.getElementById('root') ?? document.body).render(page);
}
