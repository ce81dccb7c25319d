#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// What OpenSSL has as macros only, or behind the types of its stacks.

static inline int tl_ssl_context_set_minimum(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

/* No renegotiation: then a write never has to wait for a read. */
static inline void tl_ssl_context_tune(SSL_CTX *context, size_t read_buffer) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, read_buffer);
}

/* Whether what was received is wiped from OpenSSL's own buffer as soon as it was read. */
static inline void tl_ssl_set_cleansing(SSL *ssl, int cleanses) {
    if (cleanses) SSL_set_options(ssl, SSL_OP_CLEANSE_PLAINTEXT);
    else SSL_clear_options(ssl, SSL_OP_CLEANSE_PLAINTEXT);
}

/* The new-session callback is told of sessions, and nothing else keeps them. */
static inline void tl_ssl_context_offer_sessions(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}

static inline int tl_ssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline long tl_bio_contents(BIO *bio, const unsigned char **data) {
    return BIO_get_mem_data(bio, (char **)data);
}

static inline int tl_general_name_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }

/* The type (GEN_DNS, GEN_IPADD, …) of a name, and its bytes where it is one of the two. */
static inline int tl_general_name(
    const GENERAL_NAMES *names, int index, const unsigned char **data, int *length) {
    int type;
    const ASN1_STRING *value = (const ASN1_STRING *)GENERAL_NAME_get0_value(
        sk_GENERAL_NAME_value(names, index), &type);
    *data = NULL;
    *length = 0;
    if (type == GEN_DNS || type == GEN_IPADD) {
        *data = ASN1_STRING_get0_data(value);
        *length = ASN1_STRING_length(value);
    }
    return type;
}

/* As RFC 2253 writes it, in ASCII: whatever else there is, is escaped. */
static inline int tl_name_print(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253);
}
