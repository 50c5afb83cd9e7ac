import { Migration } from '@mikro-orm/migrations';

/** Merchants, stores, menu configurations, orders and API keys. */
export class InitialMigration extends Migration {
  override up(): void {
    this.addSql(`
      create table api_key (
        id text collate "C" not null,
        name text not null,
        hash bytea not null,
        all_access boolean not null,
        can_write boolean not null,
        created_at timestamptz(3) not null default now(),
        expires_at timestamptz(3) null,
        revoked_at timestamptz(3) null,
        primary key (id)
      );
      alter table api_key add constraint api_key_hash_unique unique (hash);
      create table merchant (
        id text collate "C" not null,
        created_at timestamptz(3) not null default now(),
        brand_name text not null,
        business_type json null,
        primary key (id)
      );
      create index merchant_created on merchant (created_at, id);
      create table store (
        id text collate "C" not null,
        merchant_id text collate "C" null,
        name json not null,
        created_at timestamptz(3) not null default now(),
        external_id text null,
        store_phone text null,
        contacts json null,
        address_line_1 text null,
        address_line_2 text null,
        address_line_3 text null,
        timezone text null,
        city text null,
        postal_code text null,
        country text null,
        location_name text null,
        admin_area text null,
        phone_numbers json null,
        store_type json null,
        restaurant_configuration json null,
        menu_revision bigint not null default '0',
        primary key (id)
      );
      create index store_created on store (created_at, id);
      create index store_merchant on store (merchant_id, created_at, id);
      create table orders (
        id text collate "C" not null,
        store_id text collate "C" not null,
        created_at timestamptz(3) not null,
        status text not null,
        customer_name text not null,
        customer_phone text not null,
        price bigint not null,
        tax bigint not null,
        items json not null,
        ready_by timestamptz(3) not null,
        is_read boolean not null,
        in_pos boolean not null,
        customer_comments text null,
        completed_at timestamptz(3) null,
        primary key (id)
      );
      alter table orders add constraint orders_status_check check (status in ('PENDING', 'CUSTOMER_CANCELLED', 'STORE_CANCELLED', 'ACCEPTED', 'REJECTED', 'READY', 'FULFILLED'));
      create table modifier_item (
        id bigserial primary key,
        store_id text collate "C" not null,
        external_id text collate "C" not null,
        position int not null,
        name json not null,
        price_change bigint not null,
        tax_change bigint not null,
        in_stock boolean not null,
        min_quantity bigint not null,
        max_quantity bigint not null,
        default_quantity bigint not null,
        menu_item_external_id text null,
        description json null
      );
      alter table modifier_item add constraint modifier_item_store_id_external_id_unique unique (store_id, external_id);
      create table modifier_group (
        id bigserial primary key,
        store_id text collate "C" not null,
        external_id text collate "C" not null,
        position int not null,
        type text not null,
        name json not null,
        group_max bigint not null,
        group_min bigint not null,
        charge_after bigint not null,
        description json null,
        modifier_item_external_ids text[] not null
      );
      alter table modifier_group add constraint modifier_group_store_id_external_id_unique unique (store_id, external_id);
      create table menu_item (
        id bigserial primary key,
        store_id text collate "C" not null,
        external_id text collate "C" not null,
        position int not null,
        name json not null,
        price bigint not null,
        tax bigint not null,
        in_stock boolean not null,
        sell_separately boolean not null,
        description json null,
        ingredients text null,
        allergens text null,
        dietary_labels text[] null,
        prep_time bigint null,
        alcohol_by_volume double precision null,
        prep_type text null,
        modifier_external_ids text[] not null
      );
      alter table menu_item add constraint menu_item_store_id_external_id_unique unique (store_id, external_id);
      create table menu (
        id bigserial primary key,
        store_id text collate "C" not null,
        external_id text collate "C" not null,
        position int not null,
        name json null,
        availability json not null,
        category_external_ids text[] not null
      );
      alter table menu add constraint menu_store_id_external_id_unique unique (store_id, external_id);
      create table api_key_grant (
        id serial primary key,
        key_id text collate "C" not null,
        merchant_id text collate "C" null,
        store_id text collate "C" null
      );
      create index api_key_grant_key_id_index on api_key_grant (key_id);
      create index api_key_grant_merchant_id_index on api_key_grant (merchant_id);
      create index api_key_grant_store_id_index on api_key_grant (store_id);
      alter table api_key_grant add constraint api_key_grant_one_subject check (num_nonnulls(merchant_id, store_id) = 1);
      create table category (
        id bigserial primary key,
        store_id text collate "C" not null,
        external_id text collate "C" not null,
        position int not null,
        name json not null,
        description json null,
        item_external_ids text[] not null
      );
      alter table category add constraint category_store_id_external_id_unique unique (store_id, external_id);
      alter table store add constraint store_merchant_id_foreign foreign key (merchant_id) references merchant (id) on delete cascade;
      alter table orders add constraint orders_store_id_foreign foreign key (store_id) references store (id) on delete cascade;
      alter table modifier_item add constraint modifier_item_store_id_foreign foreign key (store_id) references store (id) on delete cascade;
      alter table modifier_group add constraint modifier_group_store_id_foreign foreign key (store_id) references store (id) on delete cascade;
      alter table menu_item add constraint menu_item_store_id_foreign foreign key (store_id) references store (id) on delete cascade;
      alter table menu add constraint menu_store_id_foreign foreign key (store_id) references store (id) on delete cascade;
      alter table api_key_grant add constraint api_key_grant_key_id_foreign foreign key (key_id) references api_key (id) on delete cascade;
      alter table api_key_grant add constraint api_key_grant_merchant_id_foreign foreign key (merchant_id) references merchant (id) on delete cascade;
      alter table api_key_grant add constraint api_key_grant_store_id_foreign foreign key (store_id) references store (id) on delete cascade;
      alter table category add constraint category_store_id_foreign foreign key (store_id) references store (id) on delete cascade;
    `);
  }
}
