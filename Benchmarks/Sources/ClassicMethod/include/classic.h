#ifndef CLASSIC_H
#define CLASSIC_H

#include <stddef.h>
#include <stdint.h>

// How a receipt has been read with OpenSSL for a decade: d2i_PKCS7, PKCS7_verify, and ASN1_get_object over the payload.
// Every field is decoded and every text copied, as an app would keep them.

/// What was read, summed up, so that two readers can be compared.
typedef struct {
    int64_t text_bytes;
    int64_t date_seconds;
    uint64_t numbers;
    int64_t octets;
    int64_t purchases;
} classic_totals;

/// The trusted root, made once.
typedef struct classic_store classic_store;

classic_store *classic_store_new(const uint8_t *root, size_t count);
void classic_store_free(classic_store *store);

/// Reads a receipt. Returns 1 if it could.
int classic_parse(const uint8_t *bytes, size_t count, classic_totals *totals);

/// Reads a receipt and verifies it as of its creation date. Returns 1 if it is good.
int classic_verify(classic_store *store, const uint8_t *bytes, size_t count, classic_totals *totals);

#endif
