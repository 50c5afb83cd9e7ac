import { registerHooks } from 'node:module';

/** For `node --import`: puts a router without routes in place of what SOFA generates. */
const replacement = `
  import { createRouter } from '${import.meta.resolve('fets')}';
  export const useSofa = () => createRouter();`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'sofa-api'
      ? { url: `data:text/javascript,${encodeURIComponent(replacement)}`, shortCircuit: true }
      : next(specifier, context),
});
