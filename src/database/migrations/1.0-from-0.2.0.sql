-- What the tables of 1.0 have beyond those of 0.2.0. All locks are taken first, in the order of names, so that no request waits for longer than they are
-- held. Only the table of stores is rewritten; orders get columns with constant defaults, and their indexes later.
lock table api_key, event, event_log, orders, store, webhook in access exclusive mode;

alter table store
  add column name_folded text collate "C" generated always as (
    case when name::text ~ '\\u(0000|[dD][89a-fA-F])' then '' else lower(regexp_replace(
      jsonb_path_query_array(name::jsonb, 'strict $.**?(@.type() == "string")')::text, '\\(["\\])', '\1', 'g'
    ) collate "und-x-icu") end
  ) stored,
  add column guest_orders boolean not null default true,
  add column preparation_minutes int not null default 0,
  add column revision bigint not null default '0';

-- Orders of before are nobody's, and have the revision 0 until they change.
alter table orders
  add column anonymized_at timestamptz(3) null,
  add column placed_by text collate "C" null,
  add column placed_by_guest boolean not null default false,
  add column revision bigint not null default '0';

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

alter table api_key
  drop constraint api_key_permissions_check,
  add constraint api_key_permissions_check check (permissions <@ array[
    'ORDERS'::text, 'STOCK'::text, 'MENU'::text, 'ADMIN'::text, 'READ_MENUS'::text, 'READ_ORDERS'::text, 'READ_HISTORY'::text,
    'READ_OWN_ORDERS'::text, 'PLACE_GUEST_ORDERS'::text]);

-- Processes of 0.2.0 read only cursors as text, so those of events of the next hour are such.
alter table event_log add column cursor_key bytea null, add column encrypted_from bigint null;
update event_log set
  cursor_key = uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
  encrypted_from = (extract(epoch from now() + interval '1 hour') * 1000000)::bigint;
alter table event_log alter column cursor_key set not null, alter column encrypted_from set not null;

alter table webhook
  add column operation text null,
  add column lost_events bigint not null default 0,
  add column lost_from timestamptz(3) null,
  add column lost_to timestamptz(3) null;

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

-- What only processes of 0.1.0 needed beside those of 0.2.0.
drop trigger event_positioned on event;
drop function position_event();
