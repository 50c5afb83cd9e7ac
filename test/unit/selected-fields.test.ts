import { fragmentsOf, selectedFields } from '@carte/operations/execution/selected-fields';
import { type FragmentDefinitionNode, getOperationAST, parse } from 'graphql';
import { expect, test } from 'vitest';

class CountingMap extends Map<string, FragmentDefinitionNode> {
  lookups = 0;

  override get(name: string): FragmentDefinitionNode | undefined {
    this.lookups += 1;
    return super.get(name);
  }
}

test('each fragment is expanded once, however often fragments spread each other', () => {
  const count = 20;
  const fragments = Array.from({ length: count }, (_, at) => {
    const spreads = Array.from({ length: count - at - 1 }, (_, next) => `...f${at + next + 1}`);
    return `fragment f${at} on Query { field${at}: viewer { id } ${spreads.join(' ')} }`;
  });
  const document = parse(`{ ...f0 ...f0 } ${fragments.join(' ')}`);
  const counting = new CountingMap(fragmentsOf(document));
  const selections = getOperationAST(document)?.selectionSet.selections ?? [];

  const fields = selectedFields(selections, counting);

  expect(fields.map(({ key }) => key)).toEqual(Array.from({ length: count }, (_, at) => `field${at}`));
  expect(counting.lookups).toBe(count);
});
