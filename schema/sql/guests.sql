-- What JSON of an order is without the data of its guest (docs/operating.md#guests-data). Imported items may have any shape, so it goes by the names of
-- keys, which a regular expression has, and by what is known of the guest. `json`, so that the order of keys and the digits of numbers stay.
create or replace function without_guest(value json, keys text, customer_name text, customer_phone text)
returns json language plpgsql immutable strict as $$
declare
  -- One word may well be that of a dish, and fewer than seven digits a price.
  name constant text := case when customer_name ~ '\S\s+\S' then without_spaces(customer_name) end;
  digits constant text := substring(regexp_replace(customer_phone, '[^0-9]', '', 'g') from '.{7}$');
begin
  -- Most have nothing of a guest, which takes a fraction of the time. What is escaped is read by the function.
  if value::text ~* keys or value::text ~ '\\' or has_guest(value::text, name, digits) then
    return without_texts(value, keys, name, digits);
  end if;
  return value;
end $$;

-- Removes values by their keys, at any depth, and empties the texts that have the name or the number. Short numbers and
-- booleans stay, e.g. how many guests there are.
create or replace function without_texts(value json, keys text, name text, digits text)
returns json language plpgsql immutable as $$
begin
  case json_typeof(value)
    when 'object' then
      return (
        select coalesce(json_object_agg(member.key, without_texts(member.value, keys, name, digits)), '{}')
        from json_each(value) member
        where not has_guest(member.key, name, digits)
          and (member.key !~* keys or json_typeof(member.value) in ('number', 'boolean') and length(member.value::text) < 7)
      );
    when 'array' then
      return (
        select coalesce(json_agg(without_texts(element, keys, name, digits)), '[]') from json_array_elements(value) element
      );
    else
      return case when not has_guest(value #>> '{}', name, digits) then value when json_typeof(value) = 'string' then '""' else 'null' end;
  end case;
end $$;

create or replace function without_spaces(value text) returns text language sql immutable as $$
  select lower(regexp_replace(value, '\s+', '', 'g'))
$$;

create or replace function has_guest(value text, name text, digits text) returns boolean language sql immutable as $$
  select (strpos(without_spaces(value), name) > 0 or strpos(regexp_replace(value, '[^0-9]', '', 'g'), digits) > 0) is true
$$;

-- Of a partition that is about to be dropped: nothing changes its orders any more.
create or replace function skip_row() returns trigger language plpgsql as $$
begin
  return null;
end $$;
