import { element } from '../element.ts';
import type { Texts } from './texts.ts';

interface Section {
  readonly element: HTMLElement;
  readonly link: HTMLAnchorElement;
}

/** Creates the navigation among the sections of the menu, which marks the one that is being read. */
export function createSections(nav: HTMLElement, menu: HTMLElement) {
  const list = element('ul');
  let sections: readonly Section[] = [];
  let current: Section | undefined;
  nav.append(list);

  /** Links to all categories, and to the menus if there are several. */
  function show(texts?: Texts): void {
    if (texts) nav.setAttribute('aria-label', texts.sections);
    const several = menu.querySelectorAll('.menu').length > 1;
    const found = menu.querySelectorAll<HTMLElement>(several ? '.menu, .category' : '.category');
    sections = [...found].map(section => {
      const name = section.querySelector('h2, h3')?.textContent ?? '';
      const attributes = { href: `#${encodeURIComponent(section.id)}`, class: `to-${section.className}`, dir: 'auto' };
      return { element: section, link: element('a', attributes, name) };
    });
    current = undefined;
    list.replaceChildren(...sections.map(({ link }) => element('li', {}, link)));
    refresh();
  }

  /** Hides the links of sections that are hidden, and marks the current one. */
  function refresh(): void {
    for (const { element: section, link } of sections) {
      if (link.parentElement) link.parentElement.hidden = isHidden(section);
    }
    nav.hidden = sections.length < 2 || sections.every(({ element: section }) => isHidden(section));
    mark();
  }

  function mark(): void {
    const found = findCurrent(sections.filter(({ element: section }) => !isHidden(section)));
    if (found === current) return;
    current?.link.removeAttribute('aria-current');
    found?.link.setAttribute('aria-current', 'true');
    current = found;
    if (found) reveal(found.link);
  }

  /** Scrolls the list alone, so that the link is in its middle: `scrollIntoView` could scroll the page, too. */
  function reveal(link: HTMLElement): void {
    const [inner, outer] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
    list.scrollBy({
      left: inner.left + inner.width / 2 - outer.left - outer.width / 2,
      top: inner.top + inner.height / 2 - outer.top - outer.height / 2,
    });
  }

  let scheduled = false;
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      mark();
    });
  };
  addEventListener('scroll', schedule, { passive: true });
  addEventListener('resize', schedule);
  addEventListener('hashchange', schedule);
  return { show, refresh };
}

/** Returns the last section that starts above the upper edge. At the end of the page, those below it can be current as well. */
function findCurrent(sections: readonly Section[]): Section | undefined {
  const { scrollHeight } = document.documentElement;
  if (scrollY + innerHeight >= scrollHeight - 2) {
    const visible = sections.filter(({ element: section }) => section.getBoundingClientRect().top < innerHeight);
    const target = visible.find(({ element: section }) => section.id === hashTarget());
    if (target) return target;
    if (scrollY > 0) return visible.at(-1);
  }
  const edge = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) + 8;
  return sections.findLast(({ element: section }) => section.getBoundingClientRect().top <= edge) ?? sections[0];
}

/** Returns the id that the URL links to. */
export function hashTarget(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

function isHidden(section: HTMLElement): boolean {
  return section.closest('[hidden]') !== null;
}
