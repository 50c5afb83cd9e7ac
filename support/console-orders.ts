/** The store of the demo whose board is watched. */
export const boardStore = 'lisbon-baixa';

export type BoardOrders = ReturnType<typeof createBoardOrders>;

/** Calls the graph as guests and the staff of the store do. */
export function createBoardOrders(url: string, key: string) {
  const run = async (query: string, variables: object) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = await response.json();
    if (errors) throw new Error(errors[0].message);
    return data;
  };
  // A time at which the whole menu is available.
  const readyBy = nextNoon();
  const orders = {
    async place(name: string): Promise<string> {
      const line = { itemExternalId: 'carob-slice', quantity: 2, note: 'not too hot, please' };
      const input = {
        storeId: boardStore,
        idempotencyKey: crypto.randomUUID(),
        customer: { name, phone: '' },
        lines: [line],
        readyBy,
      };
      const query = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }';
      return (await run(query, { input })).placeOrder.order.id;
    },
    async change(id: string, to: string): Promise<void> {
      const query =
        'mutation ($id: ID!, $to: OrderStatus!) { changeOrderStatus(input: { orderId: $id, to: $to }) { order { id } } }';
      await run(query, { id, to });
    },
    async countOpen(): Promise<number> {
      const query = `query ($store: ID!) { store(id: $store) { orders(filter: { isCompleted: false }) { totalCount } } }`;
      return (await run(query, { store: boardStore })).store.orders.totalCount;
    },
    /** Places orders until so many are open, in all columns. */
    async fill(count: number): Promise<void> {
      for (let open = await orders.countOpen(); open < count; open++) {
        const id = await orders.place(`Guest ${open}`);
        if (open % 3 > 0) await orders.change(id, 'ACCEPTED');
        if (open % 3 > 1) await orders.change(id, 'READY');
      }
    },
  };
  return orders;
}

function nextNoon(): string {
  const noon = new Date();
  noon.setUTCDate(noon.getUTCDate() + 1);
  noon.setUTCHours(13, 0, 0, 0);
  return noon.toISOString();
}
