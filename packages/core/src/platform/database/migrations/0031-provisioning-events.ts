import type { MigrationStep } from './index.ts'

/** Events of orders for servers: one for each state that an order reaches. */
export const provisioningEvents: MigrationStep = {
  name: '0031-provisioning-events',
  sql: [
    `create function svc_provisioning_event() returns trigger language plpgsql as $$
     begin
       if not exists (select from webhook_endpoints where license_id = new.license_id) then return null; end if;
       perform svc_event(new.license_id, null, 'provisioning.state_changed',
         'provisioning:' || new.id || ':' || new.state || ':' || extract(epoch from new.state_since), new.id,
         new.state_since, json_strip_nulls(json_build_object('order_id', new.id, 'previous_state', old.state,
           'state', new.state, 'provider', new.provider, 'error_code', new.error_code)));
       return null;
     end $$`,
    `create trigger provisioning_orders_event after update of state on provisioning_orders for each row
       when (new.state <> old.state) execute function svc_provisioning_event()`,
  ],
}
