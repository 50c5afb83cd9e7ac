import { useGraphiQL, useLayoutEffect } from './graphiql.ts';

const isDark = matchMedia('(prefers-color-scheme: dark)');

/** Follows the scheme of the system, which GraphiQL reads only when a theme is set, and names it as one that was chosen. */
export function FollowScheme() {
  const { theme, setTheme } = useGraphiQL(state => ({ theme: state.theme, setTheme: state.actions.setTheme }));
  useLayoutEffect(() => {
    const apply = () => {
      setTheme(theme);
      document.body.classList.add(`graphiql-${theme ?? (isDark.matches ? 'dark' : 'light')}`);
    };
    apply();
    isDark.addEventListener('change', apply);
    return () => isDark.removeEventListener('change', apply);
  }, [theme, setTheme]);
  return null;
}
