import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredInputField,
} from 'graphql';
import { type BodyOperation, type Contract, rootFieldOf } from '../contract/contract.ts';
import type { FieldExtensions } from '../contract/mapped-values.ts';
import { bodyFieldsOf } from '../input/names.ts';

const scalarSamples: Readonly<Record<string, unknown>> = {
  ...{ Boolean: true, Int: 1, SafeInt: 1, Float: 1, DateTime: '2035-01-01T12:00:00Z', JSONObject: {} },
  ...{ StringMap: { en: 'text' }, StringMaps: {} },
};

/** A value that shows what a caller has to fill in, where the file of the operation has no example: with required fields alone. */
export function sampleOf(type: GraphQLInputType, values?: FieldExtensions['values'], depth = 0): unknown {
  const bare = getNullableType(type);
  if (isListType(bare)) return depth < 5 ? [sampleOf(bare.ofType, values, depth + 1)] : [];
  if (values) return values[0]?.as;
  if (isEnumType(bare)) return bare.getValues()[0]?.name;
  if (!isInputObjectType(bare)) return scalarSamples[bare.name] ?? 'text';
  const required = bodyFieldsOf(bare).filter(isRequiredInputField);
  return Object.fromEntries(required.map(field => [field.bodyName, sampleOf(field.type, undefined, depth + 1)]));
}

/** A body of an operation: that of the samples of its set, or else one with all fields. */
export const sampleBodyOf = (contract: Contract, operation: BodyOperation): unknown =>
  contract.examples[operation.name] ?? sampleOfOutput(rootFieldOf(contract, operation).type, {});

function sampleOfOutput(type: GraphQLOutputType, extensions: FieldExtensions): unknown {
  const { constant, values, decimal } = extensions;
  if (constant !== undefined) return constant;
  const bare = getNullableType(type);
  if (isListType(bare)) return [sampleOfOutput(bare.ofType, extensions)];
  if (isObjectType(bare)) {
    const fields = Object.values(bare.getFields());
    return Object.fromEntries(fields.map(field => [field.name, sampleOfOutput(field.type, field.extensions)]));
  }
  if (values) return values[0]?.as;
  if (decimal?.isText) return (1).toFixed(decimal.digits);
  return isEnumType(bare) ? bare.getValues()[0]?.name : (scalarSamples[String(bare)] ?? 'text');
}
