#include "classic.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pkcs7.h>
#include <openssl/x509_vfy.h>
#include <stdlib.h>
#include <string.h>

struct classic_store {
    X509_STORE *store;
};

typedef struct {
    char *product, *transaction, *original;
    int64_t purchased, first_purchased, expires, cancelled;
    uint64_t quantity, type, item, web_order, testCase, introductory;
} purchase;

typedef struct {
    char *environment, *bundle, *version, *original_version, *age_rating;
    uint64_t app, developer, download, external, tool, system, model, platform;
    int64_t transaction_date, creation, original_purchase, expiration;
    uint8_t *opaque, *hash;
    long opaque_count, hash_count;
    purchase *purchases;
    size_t count, capacity;
} receipt;

// Steps into or over the next element; returns its content, or NULL.
static const uint8_t *element(const uint8_t **at, const uint8_t *end, int expected, long *length) {
    int tag, class;
    const uint8_t *p = *at;
    int flags = ASN1_get_object(&p, length, &tag, &class, end - p);
    if (flags & 0x80 || (expected >= 0 && tag != expected)) return NULL;
    *at = p + *length;
    return p;
}

static uint64_t number(const uint8_t *p, long length) {
    uint64_t value = 0;
    while (length-- > 0) value = value << 8 | *p++;
    return value;
}

static uint64_t number_in(const uint8_t *p, const uint8_t *end) {
    long length;
    const uint8_t *content = element(&p, end, V_ASN1_INTEGER, &length);
    return content ? number(content, length) : 0;
}

static char *text_in(const uint8_t *p, const uint8_t *end) {
    long length;
    const uint8_t *content = element(&p, end, -1, &length);
    if (!content || length == 0) return NULL;
    char *text = malloc(length + 1);
    memcpy(text, content, length);
    text[length] = 0;
    return text;
}

static int digits(const uint8_t *p, int count) {
    int value = 0;
    while (count-- > 0) value = value * 10 + (*p++ - '0');
    return value;
}

static int64_t date_in(const uint8_t *p, const uint8_t *end) {
    long length;
    const uint8_t *d = element(&p, end, -1, &length);
    if (!d || length < 20) return 0;
    int64_t year = digits(d, 4), month = digits(d + 5, 2), day = digits(d + 8, 2);
    if (month <= 2) year -= 1;
    int64_t era = year / 400, of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719468;
    return days * 86400 + digits(d + 11, 2) * 3600 + digits(d + 14, 2) * 60 + digits(d + 17, 2);
}

static uint8_t *copy(const uint8_t *p, long length) {
    uint8_t *octets = malloc(length);
    memcpy(octets, p, length);
    return octets;
}

// SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }; returns the value, or NULL.
static const uint8_t *attribute(const uint8_t **at, const uint8_t *end, int *type, const uint8_t **value_end) {
    long length;
    const uint8_t *p = element(at, end, V_ASN1_SEQUENCE, &length);
    if (!p) return NULL;
    const uint8_t *sequence_end = p + length;
    const uint8_t *content = element(&p, sequence_end, V_ASN1_INTEGER, &length);
    if (!content) return NULL;
    *type = (int)number(content, length);
    if (!element(&p, sequence_end, V_ASN1_INTEGER, &length)) return NULL;
    content = element(&p, sequence_end, V_ASN1_OCTET_STRING, &length);
    if (!content) return NULL;
    *value_end = content + length;
    return content;
}

static int read_purchase(const uint8_t *p, const uint8_t *end, purchase *purchase) {
    long length;
    p = element(&p, end, V_ASN1_SET, &length);
    if (!p) return 0;
    while (p < end) {
        int type;
        const uint8_t *value_end;
        const uint8_t *value = attribute(&p, end, &type, &value_end);
        if (!value) return 0;
        switch (type) {
        case 1701: purchase->quantity = number_in(value, value_end); break;
        case 1702: purchase->product = text_in(value, value_end); break;
        case 1703: purchase->transaction = text_in(value, value_end); break;
        case 1704: purchase->purchased = date_in(value, value_end); break;
        case 1705: purchase->original = text_in(value, value_end); break;
        case 1706: purchase->first_purchased = date_in(value, value_end); break;
        case 1707: purchase->type = number_in(value, value_end); break;
        case 1708: purchase->expires = date_in(value, value_end); break;
        case 1710: purchase->item = number_in(value, value_end); break;
        case 1711: purchase->web_order = number_in(value, value_end); break;
        case 1712: purchase->cancelled = date_in(value, value_end); break;
        case 1713: purchase->testCase = number_in(value, value_end); break;
        case 1719: purchase->introductory = number_in(value, value_end); break;
        }
    }
    return 1;
}

static int read_payload(const uint8_t *p, long count, receipt *receipt) {
    const uint8_t *end = p + count;
    long length;
    p = element(&p, end, V_ASN1_SET, &length);
    if (!p) return 0;
    while (p < end) {
        int type;
        const uint8_t *value_end;
        const uint8_t *value = attribute(&p, end, &type, &value_end);
        if (!value) return 0;
        switch (type) {
        case 0: receipt->environment = text_in(value, value_end); break;
        case 1: receipt->app = number_in(value, value_end); break;
        case 2: receipt->bundle = text_in(value, value_end); break;
        case 3: receipt->version = text_in(value, value_end); break;
        case 4:
            receipt->opaque = copy(value, value_end - value);
            receipt->opaque_count = value_end - value;
            break;
        case 5:
            receipt->hash = copy(value, value_end - value);
            receipt->hash_count = value_end - value;
            break;
        case 8: receipt->transaction_date = date_in(value, value_end); break;
        case 9: receipt->tool = number_in(value, value_end); break;
        case 10: receipt->age_rating = text_in(value, value_end); break;
        case 11: receipt->developer = number_in(value, value_end); break;
        case 12: receipt->creation = date_in(value, value_end); break;
        case 13: receipt->system = number_in(value, value_end); break;
        case 14: receipt->model = number_in(value, value_end); break;
        case 15: receipt->download = number_in(value, value_end); break;
        case 16: receipt->external = number_in(value, value_end); break;
        case 17:
            if (receipt->count == receipt->capacity) {
                receipt->capacity = receipt->capacity ? receipt->capacity * 2 : 8;
                receipt->purchases = realloc(receipt->purchases, receipt->capacity * sizeof(purchase));
            }
            memset(&receipt->purchases[receipt->count], 0, sizeof(purchase));
            if (!read_purchase(value, value_end, &receipt->purchases[receipt->count++])) return 0;
            break;
        case 18: receipt->original_purchase = date_in(value, value_end); break;
        case 19: receipt->original_version = text_in(value, value_end); break;
        case 21: receipt->expiration = date_in(value, value_end); break;
        case 25: receipt->platform = number_in(value, value_end); break;
        }
    }
    return 1;
}

static int64_t text_length(const char *text) { return text ? (int64_t)strlen(text) : 0; }

static void sum(const receipt *r, classic_totals *t) {
    memset(t, 0, sizeof *t);
    t->text_bytes = text_length(r->environment) + text_length(r->bundle) + text_length(r->version)
        + text_length(r->original_version) + text_length(r->age_rating);
    t->date_seconds = r->transaction_date + r->creation + r->original_purchase + r->expiration;
    t->numbers = r->app + r->developer + r->download + r->external + r->tool + r->system + r->model + r->platform;
    t->octets = r->opaque_count + r->hash_count;
    t->purchases = (int64_t)r->count;
    for (size_t i = 0; i < r->count; i++) {
        const purchase *p = &r->purchases[i];
        t->text_bytes += text_length(p->product) + text_length(p->transaction) + text_length(p->original);
        t->date_seconds += p->purchased + p->first_purchased + p->expires + p->cancelled;
        t->numbers += p->quantity + p->type + p->item + p->web_order + p->testCase + p->introductory;
    }
}

static void clear(receipt *r) {
    free(r->environment);
    free(r->bundle);
    free(r->version);
    free(r->original_version);
    free(r->age_rating);
    free(r->opaque);
    free(r->hash);
    for (size_t i = 0; i < r->count; i++) {
        free(r->purchases[i].product);
        free(r->purchases[i].transaction);
        free(r->purchases[i].original);
    }
    free(r->purchases);
}

classic_store *classic_store_new(const uint8_t *root, size_t count) {
    X509 *certificate = d2i_X509(NULL, &root, (long)count);
    if (!certificate) return NULL;
    classic_store *store = calloc(1, sizeof *store);
    store->store = X509_STORE_new();
    X509_STORE_add_cert(store->store, certificate);
    X509_free(certificate);
    return store;
}

void classic_store_free(classic_store *store) {
    X509_STORE_free(store->store);
    free(store);
}

static int run(classic_store *store, const uint8_t *bytes, size_t count, classic_totals *totals) {
    PKCS7 *container = d2i_PKCS7(NULL, &bytes, (long)count);
    if (!container) return 0;
    int good = 0;
    receipt receipt = {0};
    if (PKCS7_type_is_signed(container) && PKCS7_type_is_data(container->d.sign->contents)) {
        ASN1_OCTET_STRING *content = container->d.sign->contents->d.data;
        good = read_payload(content->data, content->length, &receipt);
        if (good && store) {
            X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store->store), (time_t)receipt.creation);
            BIO *verified = BIO_new(BIO_s_mem());
            good = PKCS7_verify(container, NULL, store->store, NULL, verified, 0) == 1;
            BIO_free(verified);
            if (!good) ERR_clear_error();
        }
        sum(&receipt, totals);
        clear(&receipt);
    }
    PKCS7_free(container);
    return good;
}

int classic_parse(const uint8_t *bytes, size_t count, classic_totals *totals) {
    return run(NULL, bytes, count, totals);
}

int classic_verify(classic_store *store, const uint8_t *bytes, size_t count, classic_totals *totals) {
    return run(store, bytes, count, totals);
}
