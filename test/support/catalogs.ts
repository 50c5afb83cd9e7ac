import type { EntityManager } from '@mikro-orm/postgresql';

/** Each with `name` and what it is; `oid`s are those of what belongs to no extension. */
const catalogs: Readonly<Record<string, string>> = {
  extension: 'select extname as name, extversion as is from pg_extension',
  // Whatever there is in the schema, also of kinds that are not compared below.
  object: `select distinct pg_describe_object(classid, objid, objsubid) as name, 'exists' as is from pg_depend
    where refclassid = 'pg_namespace'::regclass and refobjid = current_schema()::regnamespace and deptype = 'n'
      and not exists (select from pg_depend other where (other.classid, other.objid) = (pg_depend.classid, pg_depend.objid) and other.deptype = 'e')`,
  relation: `select oid::regclass::text as name,
      jsonb_build_array(relkind, relpersistence, relreplident, relam, reltablespace, reloptions, relacl, relowner, relrowsecurity, relispartition) as is
    from pg_class where relnamespace = current_schema()::regnamespace`,
  column: `select attrelid::regclass || '.' || attname as name, jsonb_build_array(format_type(atttypid, atttypmod), attnotnull, attgenerated,
      attidentity, attcollation, attstorage, attcompression, attstattarget, attoptions, attacl, pg_get_expr(adbin, adrelid)) as is
    from pg_attribute join pg_class on pg_class.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and attnum > 0 and not attisdropped`,
  constraint: `select conrelid::regclass || '.' || conname as name,
      jsonb_build_array(contype, condeferrable, condeferred, convalidated, connoinherit, pg_get_constraintdef(oid)) as is
    from pg_constraint where connamespace = current_schema()::regnamespace`,
  index: `select indexrelid::regclass::text as name, jsonb_build_array(indisvalid, indisready, indislive, indisprimary, indisreplident, indisclustered,
      indnullsnotdistinct, pg_get_indexdef(indexrelid)) as is
    from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = current_schema()::regnamespace`,
  function: `select oid::regprocedure::text as name, jsonb_build_array(proowner, proacl, pg_get_functiondef(oid)) as is from pg_proc
    where pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')`,
  trigger: `select tgrelid::regclass || '.' || tgname as name, jsonb_build_array(tgenabled, pg_get_triggerdef(oid)) as is
    from pg_trigger where not tgisinternal`,
  sequence: `select seqrelid::regclass::text as name, jsonb_build_array(seqtypid, seqstart, seqincrement, seqmax, seqmin, seqcache, seqcycle, (
      select pg_describe_object(refclassid, refobjid, refobjsubid) from pg_depend
      where classid = 'pg_class'::regclass and objid = seqrelid and deptype = 'a'
    )) as is from pg_sequence`,
  comment: `select pg_describe_object(classoid, objoid, objsubid) as name, description as is from pg_description
    where objoid >= 16384 and classoid <> 'pg_extension'::regclass
      and not exists (select from pg_depend where classid = classoid and objid = objoid and deptype = 'e')`,
  policy: 'select polname as name, polrelid::regclass::text as is from pg_policy',
  rule: `select rulename as name, ev_class::regclass::text as is from pg_rewrite where ev_class >= 16384`,
  statistics: 'select stxname as name, pg_get_statisticsobjdef(oid) as is from pg_statistic_ext',
  'event trigger': 'select evtname as name, evtfoid::regproc::text as is from pg_event_trigger',
  'default privileges': 'select defaclobjtype::text as name, defaclacl::text as is from pg_default_acl',
};

/** What the catalogs of a database have of its schema: each object with its definition. The order of columns does not count. */
export async function readCatalogs(em: EntityManager): Promise<Record<string, unknown>> {
  const objects: [string, unknown][] = [];
  for (const [kind, statement] of Object.entries(catalogs)) {
    const rows = await em.execute<{ name: string; is: unknown }[]>(statement);
    objects.push(...rows.map(({ name, is }): [string, unknown] => [`${kind} ${name}`, is]));
  }
  return Object.fromEntries(objects.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
