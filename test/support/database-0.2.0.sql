-- The database of Carte 0.2.0 after `carte migrate`, as pg_dump prints it, without owners, settings and comments: tests upgrade it.
CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE TABLE menu_history (
    store_id text NOT NULL COLLATE "C",
    revision bigint NOT NULL,
    id bigint NOT NULL,
    created_at timestamptz(3) NOT NULL,
    source text NOT NULL,
    key_name text,
    kind text,
    inserted_ids bigint[],
    old_rows json,
    old_positions json,
    added integer DEFAULT 0 NOT NULL,
    changed integer DEFAULT 0 NOT NULL,
    removed integer DEFAULT 0 NOT NULL,
    bytes integer DEFAULT 0 NOT NULL
);
CREATE FUNCTION add_menu_change(change menu_history) RETURNS void
    LANGUAGE plpgsql
    AS $$
      declare
        revised text = current_setting('carte.menu_revision', true);
      begin
        -- The store is being deleted, and its history with it.
        if change.removed > 0 and not exists (select from store where id = change.store_id) then return; end if;
        -- Changes belong to the revision that the same transaction has made, e.g. in the same statement.
        if substr(revised, strpos(revised, ' ') + 1) = change.store_id then
          change.revision = split_part(revised, ' ', 1);
        else
          update store set menu_revision = menu_revision + 1 where id = change.store_id
          returning menu_revision into change.revision;
        end if;
        change.id = nextval('menu_history_id_seq');
        change.created_at = clock_timestamp();
        change.source = coalesce(nullif(current_setting('carte.change_source', true), ''), 'SQL');
        change.key_name = nullif(current_setting('carte.key_name', true), '');
        change.bytes = coalesce(8 * cardinality(change.inserted_ids), 0) + coalesce(octet_length(change.old_rows::text), 0)
          + coalesce(octet_length(change.old_positions::text), 0);
        insert into menu_history values (change.*);
      end $$;
CREATE FUNCTION date_menu_revision() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
      begin
        new.menu_revision = greatest(new.menu_revision, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
        perform set_config('carte.menu_revision', new.menu_revision || ' ' || new.id, true);
        return new;
      end $$;
CREATE FUNCTION date_order_revision() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
      begin
        new.revision = greatest(new.revision, (extract(epoch from clock_timestamp()) * 1000000)::bigint);
        return new;
      end $$;
CREATE FUNCTION delete_menu_history() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
      begin
        delete from menu_history where store_id = old.id;
        return null;
      end $$;
CREATE FUNCTION end_access_of_former_merchant() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
      begin
        update webhook set paused_at = coalesce(paused_at, now()), notice = format(
          'Paused because the store moved from merchant "%s" to %s. Remove it, or resume it if its endpoint belongs to the new one.',
          old.merchant_id, coalesce('merchant "' || new.merchant_id || '"', 'no merchant'))
        where store_id = new.id and removed_at is null;
        delete from api_key_grant where store_id = new.id;
        return null;
      end $$;
CREATE FUNCTION keep_order_counts() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
  begin
    if tg_op = 'INSERT' then
      insert into order_revision as kept (store_id, revision)
        select store_id, 1 from new_rows group by store_id order by store_id
        on conflict (store_id) do update set revision = kept.revision + 1;
  insert into order_count as kept (store_id, day, status, n)
    select store_id, coalesce(day, 'infinity'), status, count(*)
    from (select *, (created_at at time zone 'UTC')::date as day from new_rows) dated
    group by grouping sets ((store_id, day, status), (store_id, status)) having count(*) <> 0
    on conflict (store_id, day, status) do update set n = kept.n + excluded.n;
    elsif tg_op = 'UPDATE' then
      insert into order_revision as kept (store_id, revision)
        select store_id, 1 from (select store_id from new_rows union select store_id from old_rows) both_sides
        order by store_id
        on conflict (store_id) do update set revision = kept.revision + 1;
  insert into order_count as kept (store_id, day, status, n)
    select store_id, coalesce(day, 'infinity'), status, sum(change)
    from (select *, (created_at at time zone 'UTC')::date as day from (
          select store_id, created_at, status, 1 as change from new_rows
          union all
          select store_id, created_at, status, -1 from old_rows
        ) both_sides) dated
    group by grouping sets ((store_id, day, status), (store_id, status)) having sum(change) <> 0
    on conflict (store_id, day, status) do update set n = kept.n + excluded.n;
    elsif tg_op = 'DELETE' then
      insert into order_revision as kept (store_id, revision)
        select store_id, 1 from old_rows group by store_id order by store_id
        on conflict (store_id) do update set revision = kept.revision + 1;
  insert into order_count as kept (store_id, day, status, n)
    select store_id, coalesce(day, 'infinity'), status, -count(*)
    from (select *, (created_at at time zone 'UTC')::date as day from old_rows) dated
    group by grouping sets ((store_id, day, status), (store_id, status)) having -count(*) <> 0
    on conflict (store_id, day, status) do update set n = kept.n + excluded.n;
      delete from order_count using (
        select distinct store_id, (created_at at time zone 'UTC')::date as day from old_rows
      ) emptied
      where order_count.store_id = emptied.store_id and order_count.day in (emptied.day, 'infinity')
        and order_count.n = 0;
    elsif tg_op = 'TRUNCATE' then
      perform from order_revision order by store_id for update;
      update order_revision set revision = revision + 1;
      delete from order_count;
    end if;
    return null;
  end $$;
CREATE FUNCTION log_order_events() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
  declare
    max_inserted constant int := 500;
    max_updated constant int := 50;
  begin
    if tg_op = 'INSERT' then
      if (select count(*) from (select from new_rows limit max_inserted + 1) counted) <= max_inserted then
        insert into event_inbox (kind, store_id, merchant_id, order_id, status)
          select 'ORDER_PLACED', store_id, (select merchant_id from store where id = new_rows.store_id), id, status
          from new_rows order by created_at, id;
      else
  insert into event_inbox (kind, store_id, merchant_id)
    select 'ORDERS_CHANGED', id, merchant_id from store where id in (select store_id from new_rows) order by id;
      end if;
    elsif tg_op = 'UPDATE' then
      if (select count(*) from (select from new_rows limit max_updated + 1) counted) <= max_updated then
        insert into event_inbox (kind, store_id, merchant_id, order_id, status_before, status)
          select case when o.id is null then 'ORDER_PLACED' when n.id is null then 'ORDERS_CHANGED' else 'ORDER_CHANGED' end,
            coalesce(n.store_id, o.store_id), (select merchant_id from store where id = coalesce(n.store_id, o.store_id)),
            n.id, case when n.id is not null then o.status end, n.status
          from old_rows o full join new_rows n on n.id = o.id and n.store_id = o.store_id
          where o.id is null or n.id is null or o *<> n
          order by n.created_at, n.id;
      else
  insert into event_inbox (kind, store_id, merchant_id)
    select 'ORDERS_CHANGED', id, merchant_id from store where id in (select store_id from new_rows union select store_id from old_rows) order by id;
      end if;
    elsif tg_op = 'DELETE' then
  insert into event_inbox (kind, store_id, merchant_id)
    select 'ORDERS_CHANGED', id, merchant_id from store where id in (select store_id from old_rows) order by id;
    elsif tg_op = 'TRUNCATE' then
  insert into event_inbox (kind, store_id, merchant_id)
    select 'ORDERS_CHANGED', id, merchant_id from store where id in (select store_id from order_revision) order by id;
    end if;
    return null;
  end $$;
CREATE FUNCTION log_store_events() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
      declare
        apart constant text[] := '{menu_revision, ordering, special_hours}';
      begin
        if tg_op = 'INSERT' then
          insert into event_inbox (kind, store_id, merchant_id)
            select 'STORE_CREATED', id, merchant_id from new_rows order by id;
        elsif tg_op = 'UPDATE' then
          insert into event_inbox (kind, store_id, merchant_id, menu_revision)
            select change.kind, coalesce(n.id, o.id), case when n.id is null then o.merchant_id else n.merchant_id end,
              change.menu_revision
            from old_rows o full join new_rows n on n.id = o.id
            cross join lateral (values
              (case
                when o.id is null then 'STORE_CREATED'
                when n.id is null then 'STORE_DELETED'
                when case
                  when n.menu_revision = o.menu_revision and n.ordering::text is not distinct from o.ordering::text
                    and n.special_hours::text is not distinct from o.special_hours::text then o *<> n
                  else to_jsonb(o) - apart <> to_jsonb(n) - apart
                end then 'STORE_CHANGED'
              end, null::bigint),
              (case when n.menu_revision <> o.menu_revision then
                case when current_setting('carte.change_source', true) in ('STOCK', 'STOCK_UNTIL')
                  then 'STOCK_CHANGED' else 'MENU_CHANGED' end
              end, n.menu_revision),
              (case when n.id = o.id and o.ordering::text is distinct from n.ordering::text then 'ORDERING_CHANGED' end, null),
              (case when n.id = o.id and o.special_hours::text is distinct from n.special_hours::text then 'HOURS_CHANGED' end, null)
            ) as change (kind, menu_revision)
            where change.kind is not null
            order by coalesce(n.id, o.id);
        elsif tg_op = 'DELETE' then
          insert into event_inbox (kind, store_id, merchant_id)
            select 'STORE_DELETED', id, merchant_id from old_rows order by id;
        end if;
        return null;
      end $$;
CREATE FUNCTION move_event_log_start() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
  declare
    last_deleted bigint;
  begin
    if tg_op = 'TRUNCATE' then
      select max(position) into last_deleted from event;
    else
      select max(position) into last_deleted from old_rows;
    end if;
    update event_log set complete_after = last_deleted where complete_after < last_deleted;
    return null;
  end $$;
CREATE FUNCTION position_event() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
  begin
    perform pg_advisory_xact_lock(7274922);
    update event set position = setval('event_position', greatest(nextval('event_position'), (extract(epoch from clock_timestamp()) * 1000000)::bigint))
      where id = new.id;
    perform pg_notify('carte_event', '');
    return null;
  end $$;
CREATE FUNCTION record_menu_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
      declare
        change menu_history;
      begin
        change.kind = tg_table_name;
        change.added = 0;
        change.changed = 0;
        change.removed = 0;
        -- A replacement fires the triggers of all tables, most of them for no row.
        if tg_op = 'INSERT' then
          if not exists (select from after) then return null; end if;
          for change.store_id, change.inserted_ids, change.added in
            select store_id, array_agg(id), count(*) from after group by store_id
          loop
            perform add_menu_change(change);
          end loop;
        elsif tg_op = 'DELETE' then
          if not exists (select from before) then return null; end if;
          for change.store_id, change.old_rows, change.removed in
            select store_id, json_agg(before), count(*) from before group by store_id
          loop
            perform add_menu_change(change);
          end loop;
        else
          if not exists (select from before) then return null; end if;
          for change.store_id, change.inserted_ids, change.old_rows, change.old_positions, change.added, change.changed, change.removed in
            select store_id,
              array_agg(id) filter (where is_new),
              json_agg(old_row) filter (where old_row is not null),
              json_agg(json_build_array(id, old_position)) filter (where old_row is null and not is_new),
              count(*) filter (where is_new),
              count(*) filter (where old_row is not null and not is_gone),
              count(*) filter (where is_gone)
            from (
              -- One entity more in front moves all others: of those that only moved, the position is enough.
              select store_id, id, b.position as old_position, b.id is null as is_new, a.id is null as is_gone,
                case when b.position = a.position or a.id is null
                  or not json_populate_record(b, '{"position": 0}') *= json_populate_record(a, '{"position": 0}')
                then row_to_json(b) end as old_row
              -- By store and id, which only a statement by hand can change.
              from before b full join after a using (store_id, id)
              where a.id is null or b.id is null or not b *= a
            ) differences
            group by store_id
          loop
            perform add_menu_change(change);
          end loop;
        end if;
        return null;
      end $$;
CREATE FUNCTION record_menu_truncation() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
      begin
        execute format('delete from %I', tg_table_name);
        return null;
      end $$;
CREATE FUNCTION remember_menu_history_start() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
      begin
        -- Not of a store that is being deleted, and its history with it.
        insert into menu_history_start (store_id, revision)
        select store_id, min(revision) from old_rows
        where exists (select from store where id = store_id)
        group by store_id order by store_id
        on conflict (store_id) do nothing;
        return null;
      end $$;
CREATE FUNCTION remember_menu_revision() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        insert into deleted_store (id, menu_revision) values (old.id, old.menu_revision)
        on conflict (id) do update set menu_revision = excluded.menu_revision;
        return null;
      end $$;
CREATE FUNCTION resume_menu_revision() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
      begin
        select greatest(menu_revision + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint) into new.menu_revision from deleted_store where id = new.id;
        new.menu_revision = coalesce(new.menu_revision, 0);
        return new;
      end $$;
CREATE FUNCTION revise_orders_of_store() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
  begin
    insert into order_revision as kept (store_id, revision)
      select id, 1 from old_rows join new_rows using (id)
      where (old_rows.name::text, old_rows.created_at, old_rows.external_id)
        is distinct from (new_rows.name::text, new_rows.created_at, new_rows.external_id)
      order by id
      on conflict (store_id) do update set revision = kept.revision + 1;
    return null;
  end $$;
CREATE FUNCTION sequence_events(seen pg_snapshot, max_events integer, OUT moved integer, OUT next_seen pg_snapshot) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
  declare
    last_position bigint;
  begin
    if not pg_try_advisory_xact_lock(7274922) then return; end if;
    next_seen := pg_current_snapshot();
    if pg_snapshot_xmax(seen) > pg_snapshot_xmax(next_seen) then seen := '1:1:'; end if;
    select greatest(last_value, (extract(epoch from clock_timestamp()) * 1000000)::bigint) into last_position from event_position;
    with taken as (
      delete from event_inbox where ctid = any (array(
        select ctid from event_inbox
        where xid >= pg_snapshot_xmax(seen) or xid = any (array(select pg_snapshot_xip(seen)))
        order by id limit max_events
      ))
      returning *
    ), added as (
      insert into event
        (id, position, created_at, kind, store_id, merchant_id, order_id, status_before, status, menu_revision)
      select id, last_position + row_number() over (order by id), created_at, kind, store_id, merchant_id, order_id,
        status_before, status, menu_revision
      from taken
      returning position
    )
    select count(*), max(position) into moved, last_position from added;
    if moved > 0 then
      perform setval('event_position', last_position), pg_notify('carte_event', '');
    end if;
    if moved = max_events then next_seen := seen; end if;
  end $$;
CREATE FUNCTION truncate_menu_history() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
      begin
        truncate menu_history;
        return null;
      end $$;
CREATE TABLE api_key (
    id text NOT NULL COLLATE "C",
    name text NOT NULL,
    hash bytea NOT NULL,
    all_access boolean NOT NULL,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    permissions text[] DEFAULT '{}'::text[] NOT NULL,
    can_write boolean GENERATED ALWAYS AS (('MENU'::text = ANY (permissions))) STORED,
    last_used_at timestamptz(3),
    publishable boolean DEFAULT false NOT NULL,
    origins text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT api_key_permissions_check CHECK ((permissions <@ ARRAY['ORDERS'::text, 'STOCK'::text, 'MENU'::text, 'ADMIN'::text, 'READ_MENUS'::text, 'READ_ORDERS'::text, 'READ_HISTORY'::text]))
);
CREATE TABLE api_key_grant (
    id integer NOT NULL,
    key_id text NOT NULL COLLATE "C",
    merchant_id text COLLATE "C",
    store_id text COLLATE "C",
    CONSTRAINT api_key_grant_one_subject CHECK ((num_nonnulls(merchant_id, store_id) = 1))
);
CREATE SEQUENCE api_key_grant_id_seq AS integer;
ALTER SEQUENCE api_key_grant_id_seq OWNED BY api_key_grant.id;
CREATE TABLE category (
    id bigint NOT NULL,
    store_id text NOT NULL COLLATE "C",
    external_id text NOT NULL COLLATE "C",
    "position" integer NOT NULL,
    name json NOT NULL,
    description json,
    item_external_ids text[] NOT NULL
);
CREATE SEQUENCE category_id_seq;
ALTER SEQUENCE category_id_seq OWNED BY category.id;
CREATE TABLE deleted_store (
    id text NOT NULL COLLATE "C",
    menu_revision bigint NOT NULL
);
CREATE TABLE due_time (
    store_id text NOT NULL COLLATE "C",
    subject text NOT NULL,
    external_id text NOT NULL COLLATE "C",
    due_at timestamptz(3) NOT NULL
);
CREATE TABLE event (
    id bigint NOT NULL,
    "position" bigint,
    created_at timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
    kind text NOT NULL,
    store_id text NOT NULL COLLATE "C",
    merchant_id text COLLATE "C",
    order_id text COLLATE "C",
    status_before text,
    status text,
    menu_revision bigint
);
CREATE SEQUENCE event_id_seq;
ALTER SEQUENCE event_id_seq OWNED BY event.id;
CREATE TABLE event_inbox (
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    id bigint DEFAULT nextval('event_id_seq'::regclass) NOT NULL,
    created_at timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
    kind text NOT NULL,
    store_id text NOT NULL COLLATE "C",
    merchant_id text COLLATE "C",
    order_id text COLLATE "C",
    status_before text,
    status text,
    menu_revision bigint
);
CREATE TABLE event_log (
    id integer NOT NULL,
    complete_after bigint NOT NULL
);
CREATE SEQUENCE event_position;
CREATE TABLE menu (
    id bigint NOT NULL,
    store_id text NOT NULL COLLATE "C",
    external_id text NOT NULL COLLATE "C",
    "position" integer NOT NULL,
    name json,
    availability json NOT NULL,
    category_external_ids text[] NOT NULL
);
CREATE SEQUENCE menu_history_id_seq;
ALTER SEQUENCE menu_history_id_seq OWNED BY menu_history.id;
CREATE TABLE menu_history_start (
    store_id text NOT NULL COLLATE "C",
    revision bigint NOT NULL
);
CREATE SEQUENCE menu_id_seq;
ALTER SEQUENCE menu_id_seq OWNED BY menu.id;
CREATE TABLE menu_item (
    id bigint NOT NULL,
    store_id text NOT NULL COLLATE "C",
    external_id text NOT NULL COLLATE "C",
    "position" integer NOT NULL,
    name json NOT NULL,
    price bigint NOT NULL,
    tax bigint NOT NULL,
    in_stock boolean NOT NULL,
    sell_separately boolean NOT NULL,
    description json,
    ingredients text,
    allergens text,
    dietary_labels text[],
    prep_time bigint,
    alcohol_by_volume double precision,
    prep_type text,
    modifier_external_ids text[] NOT NULL
);
CREATE SEQUENCE menu_item_id_seq;
ALTER SEQUENCE menu_item_id_seq OWNED BY menu_item.id;
CREATE TABLE merchant (
    id text NOT NULL COLLATE "C",
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    brand_name text NOT NULL,
    business_type json
);
CREATE TABLE migration (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    executed_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP(6) NOT NULL
);
CREATE SEQUENCE migration_id_seq AS integer;
ALTER SEQUENCE migration_id_seq OWNED BY migration.id;
CREATE TABLE modifier_group (
    id bigint NOT NULL,
    store_id text NOT NULL COLLATE "C",
    external_id text NOT NULL COLLATE "C",
    "position" integer NOT NULL,
    type text NOT NULL,
    name json NOT NULL,
    group_max bigint NOT NULL,
    group_min bigint NOT NULL,
    charge_after bigint NOT NULL,
    description json,
    modifier_item_external_ids text[] NOT NULL
);
CREATE SEQUENCE modifier_group_id_seq;
ALTER SEQUENCE modifier_group_id_seq OWNED BY modifier_group.id;
CREATE TABLE modifier_item (
    id bigint NOT NULL,
    store_id text NOT NULL COLLATE "C",
    external_id text NOT NULL COLLATE "C",
    "position" integer NOT NULL,
    name json NOT NULL,
    price_change bigint NOT NULL,
    tax_change bigint NOT NULL,
    in_stock boolean NOT NULL,
    min_quantity bigint NOT NULL,
    max_quantity bigint NOT NULL,
    default_quantity bigint NOT NULL,
    menu_item_external_id text,
    description json
);
CREATE SEQUENCE modifier_item_id_seq;
ALTER SEQUENCE modifier_item_id_seq OWNED BY modifier_item.id;
CREATE TABLE order_count (
    store_id text NOT NULL COLLATE "C",
    day date NOT NULL,
    status text NOT NULL,
    n bigint NOT NULL
);
CREATE TABLE order_idempotency_key (
    store_id text NOT NULL COLLATE "C",
    key text NOT NULL COLLATE "C",
    request_hash bytea NOT NULL,
    order_id text NOT NULL COLLATE "C",
    created_at timestamptz(3) NOT NULL
);
CREATE TABLE order_revision (
    store_id text NOT NULL COLLATE "C",
    revision bigint NOT NULL
);
CREATE TABLE orders (
    id text NOT NULL COLLATE "C",
    store_id text NOT NULL COLLATE "C",
    created_at timestamptz(3) NOT NULL,
    status text NOT NULL,
    customer_name text NOT NULL,
    customer_phone text NOT NULL,
    price bigint NOT NULL,
    tax bigint NOT NULL,
    items json NOT NULL,
    ready_by timestamptz(3) NOT NULL,
    is_read boolean NOT NULL,
    in_pos boolean NOT NULL,
    customer_comments text,
    completed_at timestamptz(3),
    customer_name_folded text GENERATED ALWAYS AS (translate(lower(upper((customer_name COLLATE "und-x-icu"))), 'ς'::text, 'σ'::text)) STORED NOT NULL COLLATE "C",
    phone_reversed text GENERATED ALWAYS AS ("left"(reverse(regexp_replace(customer_phone, '[^0-9]'::text, ''::text, 'g'::text)), 100)) STORED NOT NULL COLLATE "C",
    service_type text,
    service json,
    steps jsonb,
    CONSTRAINT orders_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'CUSTOMER_CANCELLED'::text, 'STORE_CANCELLED'::text, 'ACCEPTED'::text, 'REJECTED'::text, 'READY'::text, 'FULFILLED'::text])))
);
CREATE TABLE primary_start (
    id text NOT NULL COLLATE "C"
);
CREATE TABLE store (
    id text NOT NULL COLLATE "C",
    merchant_id text COLLATE "C",
    name json NOT NULL,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    external_id text,
    store_phone text,
    contacts json,
    address_line_1 text,
    address_line_2 text,
    address_line_3 text,
    timezone text,
    city text,
    postal_code text,
    country text,
    location_name text,
    admin_area text,
    phone_numbers json,
    store_type json,
    restaurant_configuration json,
    menu_revision bigint DEFAULT '0'::bigint NOT NULL,
    currency text,
    ordering json,
    special_hours json
);
CREATE TABLE webhook (
    id text NOT NULL COLLATE "C",
    url text NOT NULL,
    merchant_id text COLLATE "C",
    store_id text COLLATE "C",
    kinds text[] NOT NULL,
    secret text NOT NULL,
    previous_secret text,
    previous_secret_expires_at timestamptz(3),
    start_position bigint NOT NULL,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    last_delivered_at timestamptz(3),
    failing_since timestamptz(3),
    paused_at timestamptz(3),
    removed_at timestamptz(3),
    notice text,
    CONSTRAINT webhook_one_subject CHECK ((num_nonnulls(merchant_id, store_id) = 1))
);
CREATE TABLE webhook_delivery (
    webhook_id text NOT NULL COLLATE "C",
    "position" bigint NOT NULL,
    kind text NOT NULL,
    store_id text NOT NULL COLLATE "C",
    order_id text COLLATE "C",
    event_at timestamptz(3) NOT NULL,
    state text NOT NULL,
    attempts integer NOT NULL,
    last_attempt_at timestamptz(3) NOT NULL,
    status integer,
    error text,
    duration_ms integer NOT NULL,
    CONSTRAINT webhook_delivery_state_check CHECK ((state = ANY (ARRAY['DELIVERED'::text, 'FAILING'::text, 'GIVEN_UP'::text])))
);
CREATE TABLE webhook_progress (
    id integer NOT NULL,
    "position" bigint NOT NULL
);
CREATE TABLE webhook_queue (
    webhook_id text NOT NULL COLLATE "C",
    store_id text NOT NULL COLLATE "C",
    "position" bigint NOT NULL,
    newest bigint NOT NULL,
    next_attempt_at timestamptz(3) DEFAULT now() NOT NULL,
    claim uuid,
    attempts integer DEFAULT 0 NOT NULL,
    failing_since timestamptz(3),
    waiting_since timestamptz(3)
);
ALTER TABLE ONLY api_key_grant ALTER COLUMN id SET DEFAULT nextval('api_key_grant_id_seq'::regclass);
ALTER TABLE ONLY category ALTER COLUMN id SET DEFAULT nextval('category_id_seq'::regclass);
ALTER TABLE ONLY event ALTER COLUMN id SET DEFAULT nextval('event_id_seq'::regclass);
ALTER TABLE ONLY menu ALTER COLUMN id SET DEFAULT nextval('menu_id_seq'::regclass);
ALTER TABLE ONLY menu_history ALTER COLUMN id SET DEFAULT nextval('menu_history_id_seq'::regclass);
ALTER TABLE ONLY menu_item ALTER COLUMN id SET DEFAULT nextval('menu_item_id_seq'::regclass);
ALTER TABLE ONLY migration ALTER COLUMN id SET DEFAULT nextval('migration_id_seq'::regclass);
ALTER TABLE ONLY modifier_group ALTER COLUMN id SET DEFAULT nextval('modifier_group_id_seq'::regclass);
ALTER TABLE ONLY modifier_item ALTER COLUMN id SET DEFAULT nextval('modifier_item_id_seq'::regclass);
INSERT INTO event_log VALUES (1, 1795125592575555);
INSERT INTO migration VALUES (1, '0001-initial', '2026-11-19 21:59:52.369399+00');
INSERT INTO migration VALUES (2, '0002-order-search', '2026-11-19 21:59:52.426723+00');
INSERT INTO migration VALUES (3, '0003-menu-revision', '2026-11-19 21:59:52.496929+00');
INSERT INTO migration VALUES (4, '0004-order-totals', '2026-11-19 21:59:52.503876+00');
INSERT INTO migration VALUES (5, '0005-revisions-by-time', '2026-11-19 21:59:52.517379+00');
INSERT INTO migration VALUES (6, '0006-store-currency', '2026-11-19 21:59:52.524449+00');
INSERT INTO migration VALUES (7, '0007-permissions', '2026-11-19 21:59:52.530822+00');
INSERT INTO migration VALUES (8, '0008-idempotency-keys', '2026-11-19 21:59:52.541369+00');
INSERT INTO migration VALUES (9, '0009-last-use', '2026-11-19 21:59:52.553017+00');
INSERT INTO migration VALUES (10, '0010-menu-history', '2026-11-19 21:59:52.556652+00');
INSERT INTO migration VALUES (11, '0011-event-log', '2026-11-19 21:59:52.569974+00');
INSERT INTO migration VALUES (12, '0012-webhooks', '2026-11-19 21:59:52.58482+00');
INSERT INTO migration VALUES (13, '0013-events-of-marks', '2026-11-19 21:59:52.592451+00');
INSERT INTO migration VALUES (14, '0014-menu-history-start', '2026-11-19 21:59:52.601973+00');
INSERT INTO migration VALUES (15, '0015-moved-stores', '2026-11-19 21:59:52.606811+00');
INSERT INTO migration VALUES (16, '0016-reading-permissions', '2026-11-19 21:59:52.610052+00');
INSERT INTO migration VALUES (17, '0018-order-service', '2026-11-19 21:59:52.613816+00');
INSERT INTO migration VALUES (18, '0018-orders-by-service', '2026-11-19 21:59:52.617166+00');
INSERT INTO migration VALUES (19, '0019-store-ordering', '2026-11-19 21:59:52.623484+00');
INSERT INTO migration VALUES (20, '0019-store-ordering-index', '2026-11-19 21:59:52.628124+00');
INSERT INTO migration VALUES (21, '0021-event-inbox', '2026-11-19 21:59:52.632654+00');
INSERT INTO webhook_progress VALUES (1, 0);
SELECT pg_catalog.setval('api_key_grant_id_seq', 1, false);
SELECT pg_catalog.setval('category_id_seq', 1, false);
SELECT pg_catalog.setval('event_id_seq', 1, false);
SELECT pg_catalog.setval('event_position', 1795125592575555, true);
SELECT pg_catalog.setval('menu_history_id_seq', 1, false);
SELECT pg_catalog.setval('menu_id_seq', 1, false);
SELECT pg_catalog.setval('menu_item_id_seq', 1, false);
SELECT pg_catalog.setval('migration_id_seq', 21, true);
SELECT pg_catalog.setval('modifier_group_id_seq', 1, false);
SELECT pg_catalog.setval('modifier_item_id_seq', 1, false);
ALTER TABLE ONLY api_key_grant ADD CONSTRAINT api_key_grant_pkey PRIMARY KEY (id);
ALTER TABLE ONLY api_key ADD CONSTRAINT api_key_hash_unique UNIQUE (hash);
ALTER TABLE ONLY api_key ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY category ADD CONSTRAINT category_pkey PRIMARY KEY (id);
ALTER TABLE ONLY category ADD CONSTRAINT category_store_id_external_id_unique UNIQUE (store_id, external_id);
ALTER TABLE ONLY deleted_store ADD CONSTRAINT deleted_store_pkey PRIMARY KEY (id);
ALTER TABLE ONLY due_time ADD CONSTRAINT due_time_pkey PRIMARY KEY (store_id, subject, external_id);
ALTER TABLE ONLY event_inbox ADD CONSTRAINT event_inbox_pkey PRIMARY KEY (xid, id);
ALTER TABLE ONLY event_log ADD CONSTRAINT event_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY event ADD CONSTRAINT event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY menu_history ADD CONSTRAINT menu_history_pkey PRIMARY KEY (store_id, revision, id);
ALTER TABLE ONLY menu_history_start ADD CONSTRAINT menu_history_start_pkey PRIMARY KEY (store_id);
ALTER TABLE ONLY menu_item ADD CONSTRAINT menu_item_pkey PRIMARY KEY (id);
ALTER TABLE ONLY menu_item ADD CONSTRAINT menu_item_store_id_external_id_unique UNIQUE (store_id, external_id);
ALTER TABLE ONLY menu ADD CONSTRAINT menu_pkey PRIMARY KEY (id);
ALTER TABLE ONLY menu ADD CONSTRAINT menu_store_id_external_id_unique UNIQUE (store_id, external_id);
ALTER TABLE ONLY merchant ADD CONSTRAINT merchant_pkey PRIMARY KEY (id);
ALTER TABLE ONLY migration ADD CONSTRAINT migration_pkey PRIMARY KEY (id);
ALTER TABLE ONLY modifier_group ADD CONSTRAINT modifier_group_pkey PRIMARY KEY (id);
ALTER TABLE ONLY modifier_group ADD CONSTRAINT modifier_group_store_id_external_id_unique UNIQUE (store_id, external_id);
ALTER TABLE ONLY modifier_item ADD CONSTRAINT modifier_item_pkey PRIMARY KEY (id);
ALTER TABLE ONLY modifier_item ADD CONSTRAINT modifier_item_store_id_external_id_unique UNIQUE (store_id, external_id);
ALTER TABLE ONLY order_count ADD CONSTRAINT order_count_pkey PRIMARY KEY (store_id, day, status);
ALTER TABLE ONLY order_idempotency_key ADD CONSTRAINT order_idempotency_key_pkey PRIMARY KEY (store_id, key);
ALTER TABLE ONLY order_revision ADD CONSTRAINT order_revision_pkey PRIMARY KEY (store_id);
ALTER TABLE ONLY orders ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY primary_start ADD CONSTRAINT primary_start_pkey PRIMARY KEY (id);
ALTER TABLE ONLY store ADD CONSTRAINT store_pkey PRIMARY KEY (id);
ALTER TABLE ONLY webhook_delivery ADD CONSTRAINT webhook_delivery_pkey PRIMARY KEY (webhook_id, "position");
ALTER TABLE ONLY webhook ADD CONSTRAINT webhook_pkey PRIMARY KEY (id);
ALTER TABLE ONLY webhook_progress ADD CONSTRAINT webhook_progress_pkey PRIMARY KEY (id);
ALTER TABLE ONLY webhook_queue ADD CONSTRAINT webhook_queue_pkey PRIMARY KEY (webhook_id, store_id);
CREATE INDEX api_key_grant_key_id_index ON api_key_grant USING btree (key_id);
CREATE INDEX api_key_grant_merchant_id_index ON api_key_grant USING btree (merchant_id);
CREATE INDEX api_key_grant_store_id_index ON api_key_grant USING btree (store_id);
CREATE INDEX due_time_by_time ON due_time USING btree (due_at);
CREATE UNIQUE INDEX event_by_position ON event USING btree ("position") WHERE ("position" IS NOT NULL);
CREATE INDEX event_by_store ON event USING btree (store_id, "position") WHERE ("position" IS NOT NULL);
CREATE INDEX event_of_store_kinds ON event USING btree ("position") WHERE (("position" IS NOT NULL) AND (kind = ANY (ARRAY['STORE_CREATED'::text, 'STORE_CHANGED'::text, 'STORE_DELETED'::text, 'ORDERING_CHANGED'::text, 'HOURS_CHANGED'::text])));
CREATE INDEX merchant_created ON merchant USING btree (created_at, id);
CREATE INDEX order_idempotency_key_by_time ON order_idempotency_key USING btree (store_id, created_at);
CREATE INDEX orders_by_name ON orders USING gin (store_id, customer_name_folded gin_trgm_ops);
CREATE INDEX orders_by_phone ON orders USING btree (store_id, phone_reversed);
CREATE INDEX orders_by_service ON orders USING btree (store_id, service_type, created_at DESC, id DESC) WHERE (service_type IS NOT NULL);
CREATE INDEX orders_by_status ON orders USING btree (store_id, status, created_at DESC, id DESC);
CREATE INDEX orders_by_time ON orders USING btree (store_id, created_at DESC, id DESC);
CREATE INDEX store_created ON store USING btree (created_at, id);
CREATE INDEX store_merchant ON store USING btree (merchant_id, created_at, id);
CREATE INDEX webhook_delivery_by_time ON webhook_delivery USING btree (last_attempt_at);
CREATE INDEX webhook_merchant_id_index ON webhook USING btree (merchant_id);
CREATE INDEX webhook_queue_due ON webhook_queue USING btree (next_attempt_at) WHERE (newest > "position");
CREATE INDEX webhook_store_id_index ON webhook USING btree (store_id);
CREATE TRIGGER category_delete_recorded AFTER DELETE ON category REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER category_insert_recorded AFTER INSERT ON category REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER category_truncate_recorded BEFORE TRUNCATE ON category FOR EACH STATEMENT EXECUTE FUNCTION record_menu_truncation();
CREATE TRIGGER category_update_recorded AFTER UPDATE ON category REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER event_deleted AFTER DELETE ON event REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION move_event_log_start();
CREATE CONSTRAINT TRIGGER event_positioned AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new."position" IS NULL)) EXECUTE FUNCTION position_event();
CREATE TRIGGER event_truncated BEFORE TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION move_event_log_start();
CREATE TRIGGER menu_delete_recorded AFTER DELETE ON menu REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER menu_history_pruned AFTER DELETE ON menu_history REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION remember_menu_history_start();
CREATE TRIGGER menu_insert_recorded AFTER INSERT ON menu REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER menu_item_delete_recorded AFTER DELETE ON menu_item REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER menu_item_insert_recorded AFTER INSERT ON menu_item REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER menu_item_truncate_recorded BEFORE TRUNCATE ON menu_item FOR EACH STATEMENT EXECUTE FUNCTION record_menu_truncation();
CREATE TRIGGER menu_item_update_recorded AFTER UPDATE ON menu_item REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER menu_truncate_recorded BEFORE TRUNCATE ON menu FOR EACH STATEMENT EXECUTE FUNCTION record_menu_truncation();
CREATE TRIGGER menu_update_recorded AFTER UPDATE ON menu REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER modifier_group_delete_recorded AFTER DELETE ON modifier_group REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER modifier_group_insert_recorded AFTER INSERT ON modifier_group REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER modifier_group_truncate_recorded BEFORE TRUNCATE ON modifier_group FOR EACH STATEMENT EXECUTE FUNCTION record_menu_truncation();
CREATE TRIGGER modifier_group_update_recorded AFTER UPDATE ON modifier_group REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER modifier_item_delete_recorded AFTER DELETE ON modifier_item REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER modifier_item_insert_recorded AFTER INSERT ON modifier_item REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER modifier_item_truncate_recorded BEFORE TRUNCATE ON modifier_item FOR EACH STATEMENT EXECUTE FUNCTION record_menu_truncation();
CREATE TRIGGER modifier_item_update_recorded AFTER UPDATE ON modifier_item REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION record_menu_change();
CREATE TRIGGER order_revision_dated BEFORE INSERT OR UPDATE ON order_revision FOR EACH ROW EXECUTE FUNCTION date_order_revision();
CREATE TRIGGER orders_deleted AFTER DELETE ON orders REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_order_counts();
CREATE TRIGGER orders_deleted_events AFTER DELETE ON orders REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION log_order_events();
CREATE TRIGGER orders_inserted AFTER INSERT ON orders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_order_counts();
CREATE TRIGGER orders_inserted_events AFTER INSERT ON orders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_order_events();
CREATE TRIGGER orders_truncated AFTER TRUNCATE ON orders FOR EACH STATEMENT EXECUTE FUNCTION keep_order_counts();
CREATE TRIGGER orders_truncated_events AFTER TRUNCATE ON orders FOR EACH STATEMENT EXECUTE FUNCTION log_order_events();
CREATE TRIGGER orders_updated AFTER UPDATE ON orders REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_order_counts();
CREATE TRIGGER orders_updated_events AFTER UPDATE ON orders REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_order_events();
CREATE TRIGGER store_deleted AFTER DELETE ON store FOR EACH ROW EXECUTE FUNCTION remember_menu_revision();
CREATE TRIGGER store_events_deleted AFTER DELETE ON store REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION log_store_events();
CREATE TRIGGER store_events_inserted AFTER INSERT ON store REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_store_events();
CREATE TRIGGER store_events_updated AFTER UPDATE ON store REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_store_events();
CREATE TRIGGER store_history_deleted AFTER DELETE ON store FOR EACH ROW EXECUTE FUNCTION delete_menu_history();
CREATE TRIGGER store_history_truncated AFTER TRUNCATE ON store FOR EACH STATEMENT EXECUTE FUNCTION truncate_menu_history();
CREATE TRIGGER store_inserted BEFORE INSERT ON store FOR EACH ROW EXECUTE FUNCTION resume_menu_revision();
CREATE TRIGGER store_menu_revised BEFORE UPDATE OF menu_revision ON store FOR EACH ROW WHEN ((new.menu_revision > old.menu_revision)) EXECUTE FUNCTION date_menu_revision();
CREATE TRIGGER store_moved AFTER UPDATE OF merchant_id ON store FOR EACH ROW WHEN (((old.merchant_id IS NOT NULL) AND (old.merchant_id IS DISTINCT FROM new.merchant_id))) EXECUTE FUNCTION end_access_of_former_merchant();
CREATE TRIGGER store_shown_with_orders AFTER UPDATE ON store REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION revise_orders_of_store();
ALTER TABLE ONLY api_key_grant ADD CONSTRAINT api_key_grant_key_id_foreign FOREIGN KEY (key_id) REFERENCES api_key(id) ON DELETE CASCADE;
ALTER TABLE ONLY api_key_grant ADD CONSTRAINT api_key_grant_merchant_id_foreign FOREIGN KEY (merchant_id) REFERENCES merchant(id) ON DELETE CASCADE;
ALTER TABLE ONLY api_key_grant ADD CONSTRAINT api_key_grant_store_id_foreign FOREIGN KEY (store_id) REFERENCES store(id) ON DELETE CASCADE;
ALTER TABLE ONLY category ADD CONSTRAINT category_store_id_foreign FOREIGN KEY (store_id) REFERENCES store(id) ON DELETE CASCADE;
ALTER TABLE ONLY due_time ADD CONSTRAINT due_time_store_id_foreign FOREIGN KEY (store_id) REFERENCES store(id) ON DELETE CASCADE;
ALTER TABLE ONLY menu_history_start ADD CONSTRAINT menu_history_start_store_id_foreign FOREIGN KEY (store_id) REFERENCES store(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY menu_item ADD CONSTRAINT menu_item_store_id_foreign FOREIGN KEY (store_id) REFERENCES store(id) ON DELETE CASCADE;
ALTER TABLE ONLY menu ADD CONSTRAINT menu_store_id_foreign FOREIGN KEY (store_id) REFERENCES store(id) ON DELETE CASCADE;
ALTER TABLE ONLY modifier_group ADD CONSTRAINT modifier_group_store_id_foreign FOREIGN KEY (store_id) REFERENCES store(id) ON DELETE CASCADE;
ALTER TABLE ONLY modifier_item ADD CONSTRAINT modifier_item_store_id_foreign FOREIGN KEY (store_id) REFERENCES store(id) ON DELETE CASCADE;
ALTER TABLE ONLY order_idempotency_key ADD CONSTRAINT order_idempotency_key_store_id_foreign FOREIGN KEY (store_id) REFERENCES store(id) ON DELETE CASCADE;
ALTER TABLE ONLY orders ADD CONSTRAINT orders_store_id_foreign FOREIGN KEY (store_id) REFERENCES store(id) ON DELETE CASCADE;
ALTER TABLE ONLY store ADD CONSTRAINT store_merchant_id_foreign FOREIGN KEY (merchant_id) REFERENCES merchant(id) ON DELETE CASCADE;
ALTER TABLE ONLY webhook_delivery ADD CONSTRAINT webhook_delivery_webhook_id_foreign FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE;
ALTER TABLE ONLY webhook ADD CONSTRAINT webhook_merchant_id_foreign FOREIGN KEY (merchant_id) REFERENCES merchant(id) ON DELETE CASCADE;
ALTER TABLE ONLY webhook_queue ADD CONSTRAINT webhook_queue_webhook_id_foreign FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE;
ALTER TABLE ONLY webhook ADD CONSTRAINT webhook_store_id_foreign FOREIGN KEY (store_id) REFERENCES store(id) ON DELETE CASCADE;
