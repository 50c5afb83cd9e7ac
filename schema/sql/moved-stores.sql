-- A store that moves to another merchant takes nothing of the former one with it, whatever moves it: its webhooks are paused, and grants to it are
-- deleted. A store that had no merchant is not sold by getting one.
create or replace function end_access_of_former_merchant() returns trigger language plpgsql set search_path from current as $$
begin
  update webhook set paused_at = coalesce(paused_at, now()), notice = format(
    'Paused because the store moved from merchant "%s" to %s. Remove it, or resume it if its endpoint belongs to the new one.',
    old.merchant_id, coalesce('merchant "' || new.merchant_id || '"', 'no merchant'))
  where store_id = new.id and removed_at is null;
  delete from api_key_grant where store_id = new.id;
  return null;
end $$;
create or replace trigger store_moved after update of merchant_id on store
  for each row when (old.merchant_id is not null and old.merchant_id is distinct from new.merchant_id)
  execute function end_access_of_former_merchant();
