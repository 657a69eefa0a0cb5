#ifndef CLASSIC_H
#define CLASSIC_H

#include <stddef.h>
#include <stdint.h>

// Reads a receipt with OpenSSL in the traditional way: d2i_PKCS7, PKCS7_verify, and ASN1_get_object over the payload.
// Every field is decoded and every text is copied, as in an app.

/// Sums over the decoded fields, which make two parsers comparable.
typedef struct {
    int64_t text_bytes;
    int64_t date_seconds;
    uint64_t numbers;
    int64_t octets;
    int64_t purchases;
} classic_totals;

/// The trusted root, created once.
typedef struct classic_store classic_store;

classic_store *classic_store_new(const uint8_t *root, size_t count);
void classic_store_free(classic_store *store);

/// Parses a receipt. Returns 1 on success.
int classic_parse(const uint8_t *bytes, size_t count, classic_totals *totals);

/// Parses a receipt and verifies it at its creation date. Returns 1 if it is valid.
int classic_verify(classic_store *store, const uint8_t *bytes, size_t count, classic_totals *totals);

#endif
