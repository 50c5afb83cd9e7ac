-- Splits the tables of menus into 16 parts each, by a hash of the store's id. Version 0.1.0 had this file for operators
-- (schema/partitions/menus.sql): their databases are migrated and served as any other.
do $$
declare
  parts constant int := 16;
  split constant text[] := array['menu', 'category', 'menu_item', 'modifier_group', 'modifier_item'];
  whole text;
  sequence text;
  definitions text[];
  definition text;
begin
  foreach whole in array split loop
    -- Keys, foreign keys, indexes and triggers are made again from what the catalogue says of them, so that whatever
    -- a migration has added is kept. A key of a table that is split must contain what it is split by.
    select array_agg(statement) into definitions from (
      select format('alter table %I add constraint %I %s', whole, conname,
        replace(pg_get_constraintdef(oid), 'PRIMARY KEY (id)', 'PRIMARY KEY (store_id, id)')) as statement
      from pg_constraint where conrelid = whole::regclass and contype in ('p', 'u', 'f')
      union all
      select pg_get_indexdef(indexrelid) from pg_index
      where indrelid = whole::regclass and not exists (select from pg_constraint where conindid = indexrelid)
      union all
      select pg_get_triggerdef(oid) from pg_trigger where tgrelid = whole::regclass and not tgisinternal
    ) made_again;
    sequence := pg_get_serial_sequence(whole, 'id');

    execute format('alter table %I rename to %I', whole, whole || '_whole');
    execute format('create table %I (like %I including all excluding indexes) partition by hash (store_id)', whole, whole || '_whole');
    for part in 0 .. parts - 1 loop
      execute format('create table %I partition of %I for values with (modulus %s, remainder %s)', whole || '_' || part, whole, parts, part);
    end loop;
    execute format('insert into %I select * from %I', whole, whole || '_whole');
    execute format('alter sequence %s owned by %I.id', sequence, whole);
    execute format('drop table %I', whole || '_whole');
    foreach definition in array definitions loop
      execute definition;
    end loop;
    execute format('analyze %I', whole);
  end loop;
end $$;
