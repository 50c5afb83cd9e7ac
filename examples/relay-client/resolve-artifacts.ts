/** Resolves `X.graphql` to `X.graphql.ts`: the artifacts import each other without the extension, which bundlers add and Node does not. */
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    nextResolve(specifier.endsWith('.graphql') ? `${specifier}.ts` : specifier, context),
});
