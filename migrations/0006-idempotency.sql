-- Answers to POSTs that carried an Idempotency-Key, by partner and key.

create table idempotency_keys (
  partner_id text not null references partners,
  key text not null,
  -- SHA-256 over method, path and body bytes: the same key with another request is refused.
  request_sha256 text not null,
  -- Names one attempt: only the attempt that still holds the claim may store its answer.
  claim_id text not null,
  -- A claim whose process died is free again after this moment.
  claimed_until timestamptz not null,
  -- The finished 2xx answer, encrypted, without its secrets; null while in flight.
  answer_encrypted text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (partner_id, key)
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);
