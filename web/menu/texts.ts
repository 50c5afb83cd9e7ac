import type { DietaryLabel } from '../../src/generated/web.ts';
import { localeOf, primarySubtag } from './languages.ts';

/** When the shown menus are available. */
export type When = 'now' | 'at' | 'any';

/** The words of the page. Errors and diagnostics, which operators see, are in English. */
export type Texts = Readonly<typeof en>;

const dietaryLabels: Readonly<Record<DietaryLabel, string>> = {
  VEGAN: 'Vegan',
  VEGETARIAN: 'Vegetarian',
  GLUTEN_FREE: 'Gluten-free',
};

const en = {
  language: 'en',
  title: 'Menu viewer',
  key: 'Your key',
  showKey: 'Show',
  useKey: 'Use',
  noKey: 'Enter a key.',
  forgetKey: 'Forget the key',
  needsKey: 'Menus need a key. The first start of the server prints one.',
  loading: 'Loading…',
  tryAgain: 'Try again',
  chooseStore: 'Choose a store',
  noMerchant: 'Without a merchant',
  timesIn: (timezone: string | null) =>
    timezone ? `Times are in ${timezone}.` : 'The store has no timezone: times are in UTC.',
  pricesIn: (currency: string | null) =>
    currency ? `Prices are in ${currency}.` : 'The currency is unknown: prices have two decimals.',
  store: 'Store',
  languageLabel: 'Language',
  available: 'Available',
  now: 'now',
  anyTime: 'any time',
  at: 'at',
  dateAndTime: 'Date and time at the store',
  search: 'Search the menu',
  sections: 'Sections of the menu',
  soldOut: 'Sold out',
  onlyWithOthers: 'Only with another item',
  included: 'included',
  contains: 'Contains:',
  nextOpening: 'Next opening:',
  never: 'not available at any time',
  closed: 'closed',
  paused: (until: string) => `This store takes no orders${until ? ` until ${until}` : ' at the moment'}.`,
  busy: (minutes: number) => `This store is busy: orders are ready ${minutes} minutes later.`,
  noMenus: 'This store has no menus yet.',
  dietaryLabels,
  alcohol: (percent: string) => `${percent} vol.`,
  choose: (from: string, to: string) => (from === to ? `choose ${to}` : `choose ${from} to ${to}`),
  upTo: (count: string) => `up to ${count}`,
  free: (count: string) => `, ${count} free`,
  found: (count: number) => (count === 1 ? '1 item found' : `${count} items found`),
  notFound: (query: string) => `Nothing found for “${query}”`,
  menusAvailable: (count: number, when: When) =>
    `${count === 1 ? '1 menu is' : `${count || 'no'} menus are`} available ${
      { now: 'now', at: 'at this time', any: 'at some time' }[when]
    }`,
};

const pt: Texts = {
  language: 'pt',
  title: 'Menu',
  key: 'A sua chave',
  showKey: 'Mostrar',
  useKey: 'Usar',
  noKey: 'Introduza uma chave.',
  forgetKey: 'Esquecer a chave',
  needsKey: 'Os menus precisam de uma chave. O primeiro arranque do servidor mostra uma.',
  loading: 'A carregar…',
  tryAgain: 'Tentar de novo',
  chooseStore: 'Escolha uma loja',
  noMerchant: 'Sem comerciante',
  timesIn: timezone => (timezone ? `Horas de ${timezone}.` : 'A loja não tem fuso horário: as horas são em UTC.'),
  pricesIn: currency =>
    currency ? `Preços em ${currency}.` : 'A moeda é desconhecida: os preços têm duas casas decimais.',
  store: 'Loja',
  languageLabel: 'Idioma',
  available: 'Disponível',
  now: 'agora',
  anyTime: 'a qualquer hora',
  at: 'em',
  dateAndTime: 'Data e hora na loja',
  search: 'Procurar no menu',
  sections: 'Secções do menu',
  soldOut: 'Esgotado',
  onlyWithOthers: 'Só com outro artigo',
  included: 'incluído',
  contains: 'Contém:',
  nextOpening: 'Próxima abertura:',
  never: 'nunca disponível',
  closed: 'fechado',
  paused: until => `Esta loja não aceita pedidos ${until ? `até ${until}` : 'de momento'}.`,
  busy: minutes => `Esta loja está muito ocupada: os pedidos demoram mais ${minutes} minutos.`,
  noMenus: 'Esta loja ainda não tem menus.',
  dietaryLabels: { VEGAN: 'Vegano', VEGETARIAN: 'Vegetariano', GLUTEN_FREE: 'Sem glúten' },
  alcohol: percent => `${percent} vol.`,
  choose: (from, to) => (from === to ? `escolha ${to}` : `escolha ${from} a ${to}`),
  upTo: count => `até ${count}`,
  free: count => `, ${count} grátis`,
  found: count => (count === 1 ? '1 artigo encontrado' : `${count} artigos encontrados`),
  notFound: query => `Nada encontrado para “${query}”`,
  menusAvailable: (count, when) =>
    `${count === 0 ? 'nenhum menu disponível' : count === 1 ? '1 menu disponível' : `${count} menus disponíveis`} ${
      { now: 'agora', at: 'a esta hora', any: 'a alguma hora' }[when]
    }`,
};

const es: Texts = {
  language: 'es',
  title: 'Menú',
  key: 'Su clave',
  showKey: 'Mostrar',
  useKey: 'Usar',
  noKey: 'Introduzca una clave.',
  forgetKey: 'Olvidar la clave',
  needsKey: 'Los menús necesitan una clave. El primer arranque del servidor muestra una.',
  loading: 'Cargando…',
  tryAgain: 'Reintentar',
  chooseStore: 'Elija un local',
  noMerchant: 'Sin comercio',
  timesIn: timezone => (timezone ? `Horas de ${timezone}.` : 'El local no tiene zona horaria: las horas son en UTC.'),
  pricesIn: currency =>
    currency ? `Precios en ${currency}.` : 'La moneda es desconocida: los precios tienen dos decimales.',
  store: 'Local',
  languageLabel: 'Idioma',
  available: 'Disponible',
  now: 'ahora',
  anyTime: 'a cualquier hora',
  at: 'el',
  dateAndTime: 'Fecha y hora en el local',
  search: 'Buscar en el menú',
  sections: 'Secciones del menú',
  soldOut: 'Agotado',
  onlyWithOthers: 'Solo con otro producto',
  included: 'incluido',
  contains: 'Contiene:',
  nextOpening: 'Próxima apertura:',
  never: 'nunca disponible',
  closed: 'cerrado',
  paused: until => `Este local no acepta pedidos ${until ? `hasta ${until}` : 'por el momento'}.`,
  busy: minutes => `Este local está muy ocupado: los pedidos tardan ${minutes} minutos más.`,
  noMenus: 'Este local aún no tiene menús.',
  dietaryLabels: { VEGAN: 'Vegano', VEGETARIAN: 'Vegetariano', GLUTEN_FREE: 'Sin gluten' },
  alcohol: percent => `${percent} vol.`,
  choose: (from, to) => (from === to ? `elija ${to}` : `elija de ${from} a ${to}`),
  upTo: count => `hasta ${count}`,
  free: count => `, ${count} gratis`,
  found: count => (count === 1 ? '1 producto encontrado' : `${count} productos encontrados`),
  notFound: query => `No se encontró nada para «${query}»`,
  menusAvailable: (count, when) =>
    `${count === 0 ? 'ningún menú disponible' : count === 1 ? '1 menú disponible' : `${count} menús disponibles`} ${
      { now: 'ahora', at: 'a esta hora', any: 'a alguna hora' }[when]
    }`,
};

const ja: Texts = {
  language: 'ja',
  title: 'メニュー',
  key: 'キー',
  showKey: '表示',
  useKey: '使用',
  noKey: 'キーを入力してください。',
  forgetKey: 'キーを消去',
  needsKey: 'メニューを表示するにはキーが必要です。サーバーの初回起動時に表示されます。',
  loading: '読み込み中…',
  tryAgain: '再試行',
  chooseStore: '店舗を選択',
  noMerchant: '事業者なし',
  timesIn: timezone => (timezone ? `時刻のタイムゾーン：${timezone}。` : 'タイムゾーンが未設定のため、時刻はUTCです。'),
  pricesIn: currency => (currency ? `価格の通貨：${currency}。` : '通貨が不明のため、価格は小数点以下2桁です。'),
  store: '店舗',
  languageLabel: '言語',
  available: '提供時間',
  now: '現在',
  anyTime: 'すべて',
  at: '日時指定',
  dateAndTime: '店舗の日時',
  search: 'メニューを検索',
  sections: 'メニューの目次',
  soldOut: '売り切れ',
  onlyWithOthers: '単品での注文不可',
  included: '付き',
  contains: 'アレルゲン：',
  nextOpening: '次の提供開始：',
  never: '提供時間なし',
  closed: '休業',
  paused: until => `${until ? `${until}まで` : '現在'}、ご注文を受け付けておりません。`,
  busy: minutes => `ただいま混み合っております。お渡しが${minutes}分遅くなります。`,
  noMenus: 'この店舗にはまだメニューがありません。',
  dietaryLabels: { VEGAN: 'ヴィーガン', VEGETARIAN: 'ベジタリアン', GLUTEN_FREE: 'グルテンフリー' },
  alcohol: percent => `アルコール分 ${percent}`,
  choose: (from, to) => (from === to ? `${to}点選択` : `${from}～${to}点選択`),
  upTo: count => `${count}点まで`,
  free: count => `、${count}点無料`,
  found: count => `${count}件見つかりました`,
  notFound: query => `「${query}」は見つかりませんでした`,
  menusAvailable: (count, when) => {
    const menus = {
      now: '現在提供中のメニュー',
      at: 'この時間に提供中のメニュー',
      any: 'いずれかの時間に提供するメニュー',
    }[when];
    return count === 0 ? `${menus}はありません` : `${menus}は${count}件です`;
  },
};

/** As the reader writes numbers: in Egypt, not as in the Emirates. */
const inArabic = (count: number) => count.toLocaleString(localeOf('ar', navigator.languages));

const ar: Texts = {
  language: 'ar',
  title: 'قائمة الطعام',
  key: 'مفتاحك',
  showKey: 'إظهار',
  useKey: 'استخدام',
  noKey: 'أدخل مفتاحًا.',
  forgetKey: 'نسيان المفتاح',
  needsKey: 'تحتاج القوائم إلى مفتاح. يعرض الخادم مفتاحًا عند أول تشغيل.',
  loading: 'جارٍ التحميل…',
  tryAgain: 'إعادة المحاولة',
  chooseStore: 'اختر فرعًا',
  noMerchant: 'بلا تاجر',
  timesIn: timezone => (timezone ? `الأوقات بتوقيت ${timezone}.` : 'لا منطقة زمنية للفرع: الأوقات بتوقيت UTC.'),
  pricesIn: currency => (currency ? `الأسعار بعملة ${currency}.` : 'العملة غير معروفة: للأسعار منزلتان عشريتان.'),
  store: 'الفرع',
  languageLabel: 'اللغة',
  available: 'متاح',
  now: 'الآن',
  anyTime: 'في أي وقت',
  at: 'في',
  dateAndTime: 'التاريخ والوقت في الفرع',
  search: 'البحث في القائمة',
  sections: 'أقسام القائمة',
  soldOut: 'نفدت الكمية',
  onlyWithOthers: 'مع صنف آخر فقط',
  included: 'مشمول',
  contains: 'يحتوي على:',
  nextOpening: 'الافتتاح القادم:',
  never: 'غير متاح في أي وقت',
  closed: 'مغلق',
  paused: until => `لا يستقبل هذا الفرع الطلبات ${until ? `حتى ${until}` : 'حاليًا'}.`,
  busy: minutes => `هذا الفرع مزدحم: تتأخر الطلبات ${inArabic(minutes)} دقيقة.`,
  noMenus: 'لا قوائم لهذا الفرع بعد.',
  dietaryLabels: { VEGAN: 'نباتي صرف', VEGETARIAN: 'نباتي', GLUTEN_FREE: 'خالٍ من الغلوتين' },
  alcohol: percent => `الكحول ${percent}`,
  choose: (from, to) => (from === to ? `اختر ${to}` : `اختر من ${from} إلى ${to}`),
  upTo: count => `حتى ${count}`,
  free: count => `، منها ${count} مجانًا`,
  found: count => `عدد النتائج: ${inArabic(count)}`,
  notFound: query => `لا نتائج عن «${query}»`,
  menusAvailable: (count, when) => {
    const menus =
      count === 0 ? 'لا قائمة متاحة' : count === 1 ? 'قائمة واحدة متاحة' : `${inArabic(count)} من القوائم متاحة`;
    return `${menus} ${{ now: 'الآن', at: 'في هذا الوقت', any: 'في وقت ما' }[when]}`;
  },
};

const textsByLanguage = new Map([en, pt, es, ja, ar].map(texts => [texts.language, texts]));

/** Returns the texts in the first of the languages that has them, or else in English. */
export function textsFor(languages: readonly string[]): Texts {
  for (const language of languages) {
    const texts = textsByLanguage.get(primarySubtag(language));
    if (texts) return texts;
  }
  return en;
}
