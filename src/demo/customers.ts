import type { Random } from './random.ts';

export interface Customer {
  readonly name: string;
  readonly phone: string;
}

interface CustomerWithComment {
  readonly customer: Customer;
  readonly comment: string | undefined;
}

/** Customers of a region. */
interface Region {
  readonly timezone?: string;
  /** A pattern with `#` for digits, in a range that is not assigned to subscribers. */
  readonly phone: string;
  readonly names: readonly string[];
  readonly comments: readonly string[];
}

const lisbon: Region = {
  timezone: 'Europe/Lisbon',
  phone: '+351 900 ### ###',
  names: [
    'João Conceição',
    'Inês Gonçalves',
    'Beatriz Araújo',
    'Tomás Simões',
    'Mafalda Brandão',
    'Duarte Leitão',
    'Constança Magalhães',
    'Gonçalo Abrantes',
    'Fátima Quintão',
    'Rui Peixoto',
    "Leonor d'Ávila",
    'José Maria Falcão',
  ],
  comments: [
    'Guardanapos a mais, por favor.',
    'Tenho alergia a frutos secos. Obrigada pelo cuidado!',
    'Toque à campainha azul, se faz favor.',
    'Chego dentro de dez minutos.',
    'Passo a buscar com a minha filha.',
  ],
};

const newYork: Region = {
  timezone: 'America/New_York',
  phone: '+1 917 555 01##',
  names: [
    'Zoë Ellison',
    'Marcus Delgado',
    "Siobhán O'Rourke",
    'Nguyễn Thị Hương',
    'Łukasz Wójcik',
    'Priya Raghunathan',
    'Dashiell Greene',
    'Renée Baptiste',
    'Ngozi Adeyemi',
    'Hannah Weiss-Rosen',
    'Kofi Mensah',
    'Mei-Ling Chou',
  ],
  comments: [
    'Extra napkins, please.',
    'Peanut allergy in the family, please double-check.',
    'Leave it with the doorman.',
    "It's her birthday 🎂 could you write “Ana” on the bag?",
    'Running ten minutes late, sorry!',
  ],
};

const tokyo: Region = {
  timezone: 'Asia/Tokyo',
  phone: '+81 90-0###-####',
  names: [
    '佐藤 結衣',
    '高橋 蓮',
    '山本 さくら',
    '小林 大輔',
    '渡辺 美咲',
    '斎藤 颯太',
    '石井 陽菜',
    '中島 拓海',
    '藤田 かおり',
    '岡本 ユリア',
  ],
  comments: [
    'おしぼりを二つお願いします。',
    '十分ほど遅れます。すみません。',
    '着いたらお電話します。',
    'えびアレルギーがあります。ご配慮をお願いします。',
  ],
};

const mexico: Region = {
  timezone: 'America/Mexico_City',
  phone: '+52 55 0### ####',
  names: [
    'Ximena Ibáñez',
    'Íñigo Peña',
    'Guadalupe Zúñiga',
    'Joaquín Ornelas',
    'Itzel Xochihua',
    'Renata Muñoz',
    'Emiliano Güemes',
    'Valeria Castañón',
    'Óscar Nájera',
    'Citlali Bermúdez',
  ],
  comments: [
    'Soy alérgica al cacahuate, gracias por cuidarlo.',
    'Todo en una sola bolsa, gracias.',
    '¿Me regalan limones extra?',
    'Llego en diez minutos.',
  ],
};

const travellers: Region = {
  phone: '+44 7700 900###',
  names: [
    'Олена Ткаченко',
    'Дмитрий Соколов',
    'Мария Иванова',
    'Богдан Шевчук',
    'Jürgen Großmann',
    'Søren Kjær',
    'Åsa Lindström',
    'Γιώργος Παπαδάκης',
    '김서연',
    'François Lefèvre',
    'Ayşe Yıldız',
  ],
  comments: [
    'First time in town, so please be patient with me.',
    'Could you ring me when it is ready?',
    'Позвоните, пожалуйста, когда будет готово.',
  ],
};

const regions = [lisbon, newYork, tokyo, mexico, travellers];

/** Draws a customer, mostly from the store's own timezone, and sometimes a comment. */
export function drawCustomer(timezone: string | null | undefined, random: Random): CustomerWithComment {
  const local = regions.filter(region => region.timezone !== undefined && region.timezone === timezone);
  const region = random.pick(local.length > 0 && random.chance(0.8) ? local : regions);
  const name = random.pick(region.names);
  const comment = random.chance(0.2) ? random.pick(region.comments) : undefined;
  return { customer: { name, phone: phoneOf(region, name) }, comment };
}

function phoneOf({ phone, names }: Region, name: string): string {
  const length = phone.split('#').length - 1;
  // A factor coprime to 10 gives every name of a region its own number, whatever the length.
  const digits = String(((names.indexOf(name) + 1) * 271_829) % 10 ** length).padStart(length, '0');
  return [...digits].reduce((filled, digit) => filled.replace('#', digit), phone);
}
