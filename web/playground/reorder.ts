import { type ComponentProps, createElement } from 'react';

type ListProps = ComponentProps<'ul'> & Readonly<Record<'values' | 'onReorder' | 'axis', unknown>>;
type ItemProps = ComponentProps<'li'> & Readonly<Record<'dragElastic', unknown>>;

/**
 * GraphiQL's tabs, in place of the animations of `framer-motion`, of which it uses nothing else: those move a tab on a mere mouse press, so that
 * the click misses it.
 */
export const Reorder = {
  Group: ({ values: _values, onReorder: _onReorder, axis: _axis, ...props }: ListProps) => createElement('ul', props),
  Item: ({ value: _value, dragElastic: _dragElastic, ...props }: ItemProps) => createElement('li', props),
};
