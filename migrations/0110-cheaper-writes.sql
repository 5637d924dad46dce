-- What a request writes costs less.

-- audit_change() turned every written row into JSON, which took longer than writing the row. Triggers still name it, because its arguments say
-- what there is to say about a table, but after each migration the program gives every audited table a function of its own, which compares its
-- columns one by one (src/db/compile-audit-triggers.ts).
create schema audit;

-- A foreign key to partners locks the partner's row for every written row, and many locks on one row are written down as yet another row. These
-- tables do without, because a policy allows a row only if it has the partner that the transaction proves, and nobody can delete partners.
do $$
declare
  written name;
begin
  foreach written in array array['audit_log', 'broadband_checks', 'contract_documents', 'contract_versions', 'contracts', 'customers', 'events',
                                 'idempotency_keys', 'payment_entries', 'quotes', 'setup_intents', 'shown_terms'] loop
    execute format('alter table public.%I drop constraint %I', written, written || '_partner_id_fkey');
  end loop;
end $$;

-- PostgreSQL takes longer to write and read jsonb than the text that it was. The price is read as a whole.
alter table quotes alter column price type json using price::json;
