import type { Random } from './random.ts';

export interface Customer {
  readonly name: string;
  readonly phone: string;
}

interface Guest {
  readonly customer: Customer;
  readonly comment: string | undefined;
}

/** People of one place. Each `#` of the phone is a digit; the numbers lie in ranges that no telephone company gives out. */
interface Crowd {
  readonly timezone?: string;
  readonly phone: string;
  readonly names: readonly string[];
  readonly comments: readonly string[];
}

const lisbon: Crowd = {
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

const newYork: Crowd = {
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

const tokyo: Crowd = {
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

const mexico: Crowd = {
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

const travellers: Crowd = {
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

const crowds = [lisbon, newYork, tokyo, mexico, travellers];

/** Someone from the store's own timezone as a rule; now and then with a comment. */
export function pickGuest(timezone: string | null | undefined, random: Random): Guest {
  const neighbours = crowds.filter(crowd => crowd.timezone !== undefined && crowd.timezone === timezone);
  const crowd = random.pick(neighbours.length > 0 && random.chance(0.8) ? neighbours : crowds);
  const name = random.pick(crowd.names);
  const comment = random.chance(0.2) ? random.pick(crowd.comments) : undefined;
  return { customer: { name, phone: phoneOf(crowd, name) }, comment };
}

function phoneOf({ phone, names }: Crowd, name: string): string {
  const length = phone.split('#').length - 1;
  // A factor without 2 and 5 gives every name of a crowd its own number, whatever the length.
  const digits = String(((names.indexOf(name) + 1) * 271_829) % 10 ** length).padStart(length, '0');
  return [...digits].reduce((filled, digit) => filled.replace('#', digit), phone);
}
