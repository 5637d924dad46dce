#!/bin/sh
# Makes the secrets and the settings of compose.yaml in deploy/secrets, once. Only the owner of that folder can enter it.
# Back up encryption_keys separately from the database.
set -eu
umask 077
mkdir "$(dirname "$0")/secrets"
cd "$(dirname "$0")/secrets"
openssl rand -hex 24 > postgres_password
echo "postgresql://bills_app:$(openssl rand -hex 24)@127.0.0.1/bills" > database_url
echo "postgresql://bills_system:$(openssl rand -hex 24)@127.0.0.1/bills" > database_system_url
echo "postgresql://bills_owner:$(openssl rand -hex 24)@127.0.0.1/bills" > database_owner_url
echo "k1:$(openssl rand -base64 32)" > encryption_keys
cp ../housebill.env .
# Each container's user reads its own.
chmod 0644 ./*
# What settings and commands name: the operator's file, rate cards, addresses.
mkdir -m 0755 files
