import { InvalidInput } from '@carte/base/errors';
import { checkCount } from '@carte/base/validation';
import { loadKeyNode } from '../auth/resolvers.ts';
import type { Resolvers, ResolversParentTypes } from '../generated/graph.ts';
import { loadMenuNode, loadRevisionNode } from '../menu/nodes.ts';
import { type NodeType, parseNodeId } from '../node-id.ts';
import { isAdmin, readsMenus, readsOrders } from '../scope.ts';
import { findWebhook } from '../webhooks/repository.ts';
import type { Context } from './context.ts';

type Node = ResolversParentTypes['Node'];

/** Loads what has an id among those of its type; null where the key may not read it, as if there were none. */
export const loadById: {
  readonly [Type in NodeType]: (id: string, context: Context) => Promise<ResolversParentTypes[Type] | null> | null;
} = {
  Store: (id, { loaders }) => loaders.stores.byId.load(id),
  Merchant: (id, { loaders, scope }) => (readsMenus(scope) ? loaders.merchants.byId.load(id) : null),
  Order: (id, { loaders, scope }) => (readsOrders(scope) ? loaders.orders.byId.load(id) : null),
  Menu: loadMenuNode('menus'),
  Category: loadMenuNode('categories'),
  MenuItem: loadMenuNode('items'),
  ModifierGroup: loadMenuNode('modifierGroups'),
  ModifierItem: loadMenuNode('modifierItems'),
  MenuRevision: loadRevisionNode,
  ApiKey: loadKeyNode,
  Webhook: (id, { scope, forkEntityManager }) => (isAdmin(scope) ? findWebhook(forkEntityManager(), id) : null),
};

const isNodeType = (type: string): type is NodeType => Object.hasOwn(loadById, type);

/** The types of what was loaded: most are rows, which do not tell. */
const types = new WeakMap<Node, NodeType>();

async function loadNode(nodeId: string, context: Context): Promise<Node | null> {
  const [type, id] = parseNodeId(nodeId);
  if (!isNodeType(type)) return null;
  const node = await loadById[type](id, context);
  if (node) types.set(node, type);
  return node;
}

const ids = { min: 0, max: 100 };

export const nodeResolvers = {
  Query: {
    node: (_root, { id }, context) => loadNode(id, context),
    nodes: (_root, args, context) => {
      const errors = [...checkCount(['ids'], args.ids.length, ids)];
      if (errors.length > 0) throw new InvalidInput(errors);
      return Promise.all(args.ids.map(id => loadNode(id, context)));
    },
  },
  Node: {
    __resolveType(node) {
      const type = types.get(node);
      if (!type) throw new Error('A node was not loaded as one');
      return type;
    },
  },
} satisfies Resolvers;
