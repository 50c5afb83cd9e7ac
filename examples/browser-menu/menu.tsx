import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

const { VITE_CARTE_URL = 'http://127.0.0.1:4000', VITE_CARTE_KEY = '' } = import.meta.env;
/** With the key, so that caches between the page and the service can store the menu. */
export const url = `${VITE_CARTE_URL}/graphql?key=${VITE_CARTE_KEY}`;
/** The browser asks whether its copy is still the menu. */
export const fetchOptions = { cache: 'no-cache' } as const;

export const query = `query Menu($store: ID!, $languages: [String!]!) {
  store(id: $store) {
    id
    menus {
      id
      name { text(languages: $languages) }
      categories {
        id
        items { id name { text(languages: $languages) } price { currency decimal } inStock }
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
  /** Both are null if the currency of the store is unknown. */
  readonly price: { readonly currency: string | null; readonly decimal: string | null };
  readonly inStock: boolean;
}

export interface MenuQuery {
  readonly store: {
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

function formatPrice({ price: { currency, decimal } }: Item): string {
  if (currency === null || decimal === null) return '';
  return new Intl.NumberFormat(navigator.language, { style: 'currency', currency }).format(Number(decimal));
}

export function Menu({ data, error, refresh }: MenuProps) {
  const { menus = [] } = data?.store ?? {};
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
                  {item.name?.text} {item.inStock ? formatPrice(item) : 'sold out'}
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
