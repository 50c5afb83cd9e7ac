// One file, so that one server with the demo and one browser are started for all pages. The last ones allow other origins.
await import('./pages.ts');
await import('./docs.ts');
await import('./playground.ts');
await import('./menu.ts');
await import('./console.ts');
await import('./publishable-keys.ts');
await import('./shop.ts');
