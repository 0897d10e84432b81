import type { MigrationStep } from './index.ts'

// Messages and domains of the platform have no license, and no endpoint asks for them.
const MESSAGES = [
  `create function svc_email_event() returns trigger language plpgsql as $$
   declare
     what text := case new.state when 'failed' then 'failed' else 'sent' end;
     accepted int;
     bounced int;
   begin
     if not exists (select from webhook_endpoints where license_id = new.owner) then return null; end if;
     select count(*) filter (where r.state = 'accepted'), count(*) filter (where r.state = 'bounced')
       into accepted, bounced from email_recipients r where r.message_id = new.id;
     perform svc_event(new.owner, null, 'email.' || what,
       'email:' || new.id || ':' || what || ':' || extract(epoch from new.settled_at), new.id, new.settled_at,
       json_strip_nulls(json_build_object('email_id', new.id, 'state', new.state, 'accepted', accepted,
         'bounced', bounced, 'tags', nullif(new.tags, '{}'::jsonb))));
     return null;
   end $$`,
  `create trigger email_messages_event after update of settled_at on email_messages for each row
     when (old.settled_at is null and new.settled_at is not null and new.state <> 'cancelled')
     execute function svc_email_event()`,
]

const record = (name: string, finding: string) => `json_build_object('record', '${name}',
  'status', coalesce(new.findings -> '${finding}' ->> 'status', 'pending'))`

const DOMAINS = [
  `create function svc_email_domain_event() returns trigger language plpgsql as $$
   begin
     if not exists (select from webhook_endpoints where license_id = new.owner) then return null; end if;
     perform svc_event(new.owner, null, 'email.domain.' || new.status,
       'email-domain:' || new.id || ':' || new.status || ':' || extract(epoch from new.checked_at), new.id,
       new.checked_at, json_build_object('domain_id', new.id, 'name', new.name, 'records', json_build_array(
         ${record('DKIM', 'dkim')}, ${record('SPF', 'spf')}, ${record('DMARC', 'dmarc')})));
     return null;
   end $$`,
  `create trigger email_domains_event after update of status on email_domains for each row
     when (new.status <> old.status and new.status in ('verified', 'failed') and new.checked_at is not null)
     execute function svc_email_domain_event()`,
]

const IMAGES = [
  `create function svc_image_event() returns trigger language plpgsql as $$
   begin
     if not exists (select from webhook_endpoints where license_id = new.license_id) then return null; end if;
     perform svc_event(new.license_id, null, 'image.registered', 'image:' || new.id, new.fingerprint,
       new.first_seen_at, json_strip_nulls(json_build_object('image_id', new.id, 'server_id',
         'agt_' || left(new.fingerprint, 12), 'checksum', new.checksum, 'kind', new.kind, 'app', new.app,
         'job_id', new.job_id)));
     return null;
   end $$`,
  'create trigger images_event after insert on images for each row execute function svc_image_event()',
]

// A push that is told again names the job of the first, and is ignored.
const PUSHES = [
  `create function svc_push_event() returns trigger language plpgsql as $$
   declare
     hook git_hooks;
   begin
     select * into hook from git_hooks where id = new.hook_id;
     if not exists (select from webhook_endpoints where license_id = hook.license_id) then return null; end if;
     perform svc_event(hook.license_id, null, 'git.push', 'git:' || new.id || ':' || new.job_id, new.hook_id,
       new.received_at, json_strip_nulls(json_build_object('hook_id', new.hook_id, 'app', hook.app,
         'ref', new.ref, 'sha', new.sha, 'job_id', new.job_id)));
     return null;
   end $$`,
  `create trigger git_deliveries_event after insert on git_deliveries for each row
     when (new.outcome = 'accepted' and new.job_id is not null) execute function svc_push_event()`,
  `create trigger git_deliveries_change_event after update of job_id on git_deliveries for each row
     when (new.outcome = 'accepted' and new.job_id is distinct from old.job_id and new.job_id is not null)
     execute function svc_push_event()`,
]

/** Events of messages, sending domains, images and pushes. */
export const moreEvents: MigrationStep = {
  name: '0028-more-events',
  sql: [...MESSAGES, ...DOMAINS, ...IMAGES, ...PUSHES],
}
