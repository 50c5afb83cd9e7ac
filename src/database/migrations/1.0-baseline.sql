-- The tables of Carte 1.0, with which a new database begins. What changes later is a migration of its own; functions and triggers are in schema/sql.
-- Ids are compared by their bytes, in any database. Texts and other maps are json, whose keys keep their order (docs/decisions/0004-json-not-jsonb.md).
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- Merchants and stores

create table merchant (
  id text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  brand_name text not null,
  business_type json null,
  primary key (id)
);
create index merchant_created on merchant (created_at, id);

-- A search would collect the texts of a name from the JSON of every store: they are stored in lower case. Names with escape sequences that jsonb cannot
-- have are not found by them. Revisions are times in microseconds, set by triggers (docs/decisions/0011-revisions-are-times.md).
create table store (
  id text collate "C" not null,
  merchant_id text collate "C" null,
  name json not null,
  name_folded text collate "C" generated always as (
    case when name::text ~ '\\u(0000|[dD][89a-fA-F])' then '' else lower(regexp_replace(
      jsonb_path_query_array(name::jsonb, 'strict $.**?(@.type() == "string")')::text, '\\(["\\])', '\1', 'g'
    ) collate "und-x-icu") end
  ) stored,
  created_at timestamptz(3) not null default now(),
  external_id text null,
  store_phone text null,
  contacts json null,
  phone_numbers json null,
  address_line_1 text null,
  address_line_2 text null,
  address_line_3 text null,
  city text null,
  postal_code text null,
  admin_area text null,
  country text null,
  location_name text null,
  timezone text null,
  currency text null,
  store_type json null,
  restaurant_configuration json null,
  ordering json null,
  guest_orders boolean not null default true,
  preparation_minutes int not null default 0,
  special_hours json null,
  revision bigint not null default '0',
  menu_revision bigint not null default '0',
  primary key (id),
  constraint store_merchant_id_foreign foreign key (merchant_id) references merchant (id) on delete cascade
);
create index store_created on store (created_at, id);
create index store_merchant on store (merchant_id, created_at, id);

-- A store that is created again with the id of a deleted one goes on after its last revision.
create table deleted_store (
  id text collate "C" not null,
  menu_revision bigint not null,
  primary key (id)
);

-- What ends by itself, such as a pause, or that an item is sold out.
create table due_time (
  store_id text collate "C" not null,
  subject text not null,
  external_id text collate "C" not null,
  due_at timestamptz(3) not null,
  primary key (store_id, subject, external_id),
  constraint due_time_store_id_foreign foreign key (store_id) references store (id) on delete cascade
);
create index due_time_by_time on due_time (due_at);

-- Menus. References are ordered external ids, as they are posted.

create table menu (
  id bigserial primary key,
  store_id text collate "C" not null,
  external_id text collate "C" not null,
  position int not null,
  name json null,
  availability json not null,
  category_external_ids text[] not null,
  constraint menu_store_id_external_id_unique unique (store_id, external_id),
  constraint menu_store_id_foreign foreign key (store_id) references store (id) on delete cascade
);

create table category (
  id bigserial primary key,
  store_id text collate "C" not null,
  external_id text collate "C" not null,
  position int not null,
  name json not null,
  description json null,
  item_external_ids text[] not null,
  constraint category_store_id_external_id_unique unique (store_id, external_id),
  constraint category_store_id_foreign foreign key (store_id) references store (id) on delete cascade
);

create table menu_item (
  id bigserial primary key,
  store_id text collate "C" not null,
  external_id text collate "C" not null,
  position int not null,
  name json not null,
  description json null,
  price bigint not null,
  tax bigint not null,
  in_stock boolean not null,
  sell_separately boolean not null,
  ingredients text null,
  allergens text null,
  dietary_labels text[] null,
  alcohol_by_volume double precision null,
  prep_time bigint null,
  prep_type text null,
  modifier_external_ids text[] not null,
  constraint menu_item_store_id_external_id_unique unique (store_id, external_id),
  constraint menu_item_store_id_foreign foreign key (store_id) references store (id) on delete cascade
);

create table modifier_group (
  id bigserial primary key,
  store_id text collate "C" not null,
  external_id text collate "C" not null,
  position int not null,
  type text not null,
  name json not null,
  description json null,
  group_min bigint not null,
  group_max bigint not null,
  charge_after bigint not null,
  modifier_item_external_ids text[] not null,
  constraint modifier_group_store_id_external_id_unique unique (store_id, external_id),
  constraint modifier_group_store_id_foreign foreign key (store_id) references store (id) on delete cascade
);

create table modifier_item (
  id bigserial primary key,
  store_id text collate "C" not null,
  external_id text collate "C" not null,
  position int not null,
  name json not null,
  description json null,
  price_change bigint not null,
  tax_change bigint not null,
  in_stock boolean not null,
  min_quantity bigint not null,
  max_quantity bigint not null,
  default_quantity bigint not null,
  menu_item_external_id text null,
  constraint modifier_item_store_id_external_id_unique unique (store_id, external_id),
  constraint modifier_item_store_id_foreign foreign key (store_id) references store (id) on delete cascade
);

-- How to undo each change to a menu (docs/decisions/0014-menu-history.md). A foreign key would lock the row of the store again with every insert.
create table menu_history (
  store_id text collate "C" not null,
  revision bigint not null,
  id bigserial not null,
  created_at timestamptz(3) not null,
  source text not null,
  key_name text null,
  kind text null,
  inserted_ids bigint[] null,
  old_rows json null,
  old_positions json null,
  added int not null default 0,
  changed int not null default 0,
  removed int not null default 0,
  bytes int not null default 0,
  primary key (store_id, revision, id)
);

create table menu_history_start (
  store_id text collate "C" not null,
  revision bigint not null,
  primary key (store_id),
  constraint menu_history_start_store_id_foreign foreign key (store_id) references store (id) on update cascade on delete cascade
);

-- Orders. deploy/partitions/orders.sql can split this table by id: it has no other unique index.

-- Names are folded to upper case first, which alone maps ß to SS, then to lower case with one form of sigma: pg_trgm folds case once more by the
-- database's own rules, and must find nothing left to change. Digits of phones are truncated to what an index entry can hold.
create table orders (
  id text collate "C" not null,
  store_id text collate "C" not null,
  created_at timestamptz(3) not null,
  status text not null,
  customer_name text not null,
  customer_name_folded text collate "C" not null
    generated always as (translate(lower(upper(customer_name collate "und-x-icu")), 'ς', 'σ')) stored,
  customer_phone text not null,
  phone_reversed text collate "C" not null
    generated always as (left(reverse(regexp_replace(customer_phone, '[^0-9]', '', 'g')), 100)) stored,
  customer_comments text null,
  price bigint not null,
  tax bigint not null,
  items json not null,
  service_type text null,
  service json null,
  steps jsonb null,
  ready_by timestamptz(3) not null,
  completed_at timestamptz(3) null,
  anonymized_at timestamptz(3) null,
  is_read boolean not null,
  in_pos boolean not null,
  placed_by text collate "C" null,
  placed_by_guest boolean not null default false,
  revision bigint not null default '0',
  primary key (id),
  constraint orders_status_check check (status in (
    'PENDING', 'CUSTOMER_CANCELLED', 'STORE_CANCELLED', 'ACCEPTED', 'REJECTED', 'READY', 'FULFILLED')),
  constraint orders_store_id_foreign foreign key (store_id) references store (id) on delete cascade
);
create index orders_by_time on orders (store_id, created_at desc, id desc);
create index orders_by_status on orders (store_id, status, created_at desc, id desc);
create index orders_by_phone on orders (store_id, phone_reversed);
create index orders_by_name on orders using gin (store_id, customer_name_folded gin_trgm_ops);
create index orders_by_service on orders (store_id, service_type, created_at desc, id desc) where service_type is not null;
create index orders_by_placer on orders (store_id, placed_by, status, created_at desc, id desc) where placed_by is not null;
create index orders_by_completion on orders (store_id, coalesce(completed_at, created_at) desc, id desc)
  where status in ('CUSTOMER_CANCELLED', 'STORE_CANCELLED', 'REJECTED', 'FULFILLED');
create index orders_by_age on orders (((anonymized_at is not null)::int), (coalesce(completed_at, greatest(created_at, ready_by))));

-- No foreign keys to the store: the orders that are deleted with it are counted, too, and its revision outlives it.
create table order_count (
  store_id text collate "C" not null,
  day date not null,
  status text not null,
  n bigint not null,
  primary key (store_id, day, status)
);

create table order_revision (
  store_id text collate "C" not null,
  revision bigint not null,
  primary key (store_id)
);

create table order_idempotency_key (
  store_id text collate "C" not null,
  key text collate "C" not null,
  request_hash bytea not null,
  order_id text collate "C" not null,
  created_at timestamptz(3) not null,
  primary key (store_id, key),
  constraint order_idempotency_key_store_id_foreign foreign key (store_id) references store (id) on delete cascade
);
create index order_idempotency_key_by_time on order_idempotency_key (store_id, created_at);

create table guest_token (
  order_id text collate "C" not null,
  store_id text collate "C" not null,
  key_id text collate "C" not null,
  hash bytea not null,
  address_hash int not null,
  expires_at timestamptz(3) not null,
  primary key (order_id),
  constraint guest_token_hash_unique unique (hash),
  constraint guest_token_store_id_foreign foreign key (store_id) references store (id) on delete cascade
);
create index guest_token_by_expiry on guest_token (store_id, expires_at);

-- API keys

-- Processes of 0.2.0, which may serve beside those of 1.0, read can_write when they insert a key.
create table api_key (
  id text collate "C" not null,
  name text not null,
  hash bytea not null,
  all_access boolean not null,
  permissions text[] not null default '{}',
  can_write boolean generated always as ('MENU' = any (permissions)) stored,
  publishable boolean not null default false,
  origins text[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) null,
  revoked_at timestamptz(3) null,
  last_used_at timestamptz(3) null,
  primary key (id),
  constraint api_key_hash_unique unique (hash),
  constraint api_key_permissions_check check (permissions <@ array[
    'ORDERS'::text, 'STOCK'::text, 'MENU'::text, 'ADMIN'::text, 'READ_MENUS'::text, 'READ_ORDERS'::text, 'READ_HISTORY'::text,
    'READ_OWN_ORDERS'::text, 'PLACE_GUEST_ORDERS'::text])
);

create table api_key_grant (
  id serial primary key,
  key_id text collate "C" not null,
  merchant_id text collate "C" null,
  store_id text collate "C" null,
  constraint api_key_grant_one_subject check (num_nonnulls(merchant_id, store_id) = 1),
  constraint api_key_grant_key_id_foreign foreign key (key_id) references api_key (id) on delete cascade,
  constraint api_key_grant_merchant_id_foreign foreign key (merchant_id) references merchant (id) on delete cascade,
  constraint api_key_grant_store_id_foreign foreign key (store_id) references store (id) on delete cascade
);
create index api_key_grant_key_id_index on api_key_grant (key_id);
create index api_key_grant_merchant_id_index on api_key_grant (merchant_id);
create index api_key_grant_store_id_index on api_key_grant (store_id);

-- Events (docs/decisions/0015-event-log.md). Without foreign keys: an event outlives its order and its store.

create table event (
  id bigserial primary key,
  position bigint null,
  created_at timestamptz(3) not null default clock_timestamp(),
  kind text not null,
  store_id text collate "C" not null,
  merchant_id text collate "C" null,
  order_id text collate "C" null,
  status_before text null,
  status text null,
  menu_revision bigint null
);
create unique index event_by_position on event (position) where position is not null;
create index event_by_store on event (store_id, position) where position is not null;
create index event_of_store_kinds on event (position) where position is not null
  and kind in ('STORE_CREATED', 'STORE_CHANGED', 'STORE_DELETED', 'ORDERING_CHANGED', 'HOURS_CHANGED');

-- The transaction is part of the key, since the sequencer looks for those that have ended since it looked last.
create table event_inbox (
  xid xid8 not null default pg_current_xact_id(),
  id bigint not null default nextval('event_id_seq'),
  created_at timestamptz(3) not null default clock_timestamp(),
  kind text not null,
  store_id text collate "C" not null,
  merchant_id text collate "C" null,
  order_id text collate "C" null,
  status_before text null,
  status text null,
  menu_revision bigint null,
  primary key (xid, id)
);

-- The last position. A position is a time in microseconds, so that a promoted standby does not repeat one.
create sequence event_position;

-- Its one row: every event after a position is kept, and the key by which cursors are encrypted.
create table event_log (
  id int not null,
  complete_after bigint not null,
  cursor_key bytea not null,
  encrypted_from bigint not null,
  primary key (id)
);
insert into event_log (id, complete_after, cursor_key, encrypted_from) values (
  1, setval('event_position', (extract(epoch from clock_timestamp()) * 1000000)::bigint),
  uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 0
);

-- Webhooks (docs/decisions/0016-webhooks.md)

create table webhook (
  id text collate "C" not null,
  url text not null,
  merchant_id text collate "C" null,
  store_id text collate "C" null,
  kinds text[] not null,
  operation text null,
  secret text not null,
  previous_secret text null,
  previous_secret_expires_at timestamptz(3) null,
  start_position bigint not null,
  created_at timestamptz(3) not null default now(),
  last_delivered_at timestamptz(3) null,
  failing_since timestamptz(3) null,
  lost_events bigint not null default 0,
  lost_from timestamptz(3) null,
  lost_to timestamptz(3) null,
  paused_at timestamptz(3) null,
  removed_at timestamptz(3) null,
  notice text null,
  primary key (id),
  constraint webhook_one_subject check (num_nonnulls(merchant_id, store_id) = 1),
  constraint webhook_merchant_id_foreign foreign key (merchant_id) references merchant (id) on delete cascade,
  constraint webhook_store_id_foreign foreign key (store_id) references store (id) on delete cascade
);
create index webhook_merchant_id_index on webhook (merchant_id);
create index webhook_store_id_index on webhook (store_id);

create table webhook_queue (
  webhook_id text collate "C" not null,
  store_id text collate "C" not null,
  position bigint not null,
  newest bigint not null,
  next_attempt_at timestamptz(3) not null default now(),
  claim uuid null,
  attempts int not null default 0,
  failing_since timestamptz(3) null,
  waiting_since timestamptz(3) null,
  primary key (webhook_id, store_id),
  constraint webhook_queue_webhook_id_foreign foreign key (webhook_id) references webhook (id) on delete cascade
);
create index webhook_queue_due on webhook_queue (next_attempt_at) where newest > position;

create table webhook_delivery (
  webhook_id text collate "C" not null,
  position bigint not null,
  kind text not null,
  store_id text collate "C" not null,
  order_id text collate "C" null,
  event_at timestamptz(3) not null,
  state text not null,
  attempts int not null,
  last_attempt_at timestamptz(3) not null,
  status int null,
  error text null,
  duration_ms int not null,
  primary key (webhook_id, position),
  constraint webhook_delivery_state_check check (state in ('DELIVERED', 'FAILING', 'GIVEN_UP')),
  constraint webhook_delivery_webhook_id_foreign foreign key (webhook_id) references webhook (id) on delete cascade
);
create index webhook_delivery_by_time on webhook_delivery (last_attempt_at);

create table webhook_progress (
  id int not null,
  position bigint not null,
  primary key (id)
);
insert into webhook_progress (id, position) values (1, 0);

-- How far caches at the edge are purged

create table edge_cache (
  url text collate "C" not null,
  position bigint not null,
  repeated bigint not null,
  claim uuid null,
  claimed_until timestamptz(3) not null default now(),
  failing_since timestamptz(3) null,
  failure text null,
  primary key (url)
);

-- By which a replica proves that it follows the current primary (docs/decisions/0006-consistent-replica-reads.md)

create table primary_start (
  id text collate "C" not null,
  primary key (id)
);
