/** The types that implement `Node`. */
export type NodeType =
  | 'ApiKey'
  | 'Category'
  | 'Menu'
  | 'MenuItem'
  | 'MenuRevision'
  | 'Merchant'
  | 'ModifierGroup'
  | 'ModifierItem'
  | 'Order'
  | 'Store'
  | 'Webhook';

/** The `nodeId` of what has this id among those of its type, as Relay's global ids are usually made. */
export const nodeIdOf = (type: NodeType, id: string | number): string =>
  Buffer.from(`${type}:${id}`).toString('base64url');

/** Resolves the `nodeId` of a type with an id. */
export const nodeIdAs =
  (type: NodeType) =>
  ({ id }: { readonly id: string }): string =>
    nodeIdOf(type, id);

/** Returns the type, which may be no type at all, and the id. */
export function parseNodeId(nodeId: string): readonly [type: string, id: string] {
  const text = Buffer.from(nodeId, 'base64url').toString();
  const end = text.indexOf(':');
  return [text.slice(0, Math.max(0, end)), text.slice(end + 1)];
}
