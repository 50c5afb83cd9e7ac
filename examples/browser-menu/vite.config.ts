import { defineConfig } from 'vite';

// `public/plain.html` needs no build.
export default defineConfig({ build: { rolldownOptions: { input: ['apollo.html', 'urql.html'] } } });
