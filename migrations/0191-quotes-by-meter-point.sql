-- Two homes can be stored with one meter point. Then two contracts for it are as wrong as two for one home, and a quote warns of both.
create index quotes_by_mpan on quotes (partner_id, (address->>'mpan')) where stage in ('active', 'completed');
create index quotes_by_mprn on quotes (partner_id, (address->>'mprn')) where stage in ('active', 'completed');
