#include <inttypes.h>

#include "serve/serve.h"

#define MINUTE_NS ((uint64_t)60000000000)

serve_rate serve_rate_of(uint32_t per_minute) {
    return (serve_rate){MINUTE_NS / per_minute, MINUTE_NS, os_now_ns()};
}

bool serve_rate_try(serve_rate *r, uint64_t now_ns) {
    uint64_t credit = r->credit_ns + (now_ns - r->last_ns);
    r->credit_ns = credit < MINUTE_NS ? credit : MINUTE_NS;
    r->last_ns = now_ns;
    if (r->credit_ns < r->cost_ns)
        return false;
    r->credit_ns -= r->cost_ns;
    return true;
}

uint64_t serve_rate_wait(const serve_rate *r) {
    const uint64_t second = 1000000000, lacks = r->cost_ns > r->credit_ns ? r->cost_ns - r->credit_ns : 0;
    return lacks > second ? (lacks + second - 1) / second : 1;
}

void serve_tell_untold(ilj_server *s, const char *when) {
    diag d = context_diag(s->context, s->listener.host);
    if (s->untold > 0)
        diag_report(&d, DIAG_POST_REFUSED, "%" PRIu64 " more refusals %s were not reported one by one", s->untold,
                    when);
    s->untold = 0;
}

void serve_tell(ilj_server *s, const serve_connection *c, const char *text) {
    char peer[OS_PEER_BYTES];
    if (!serve_rate_try(&s->tellings, os_now_ns())) {
        s->untold++;
        return;
    }
    serve_tell_untold(s, "before this one");
    os_socket_peer(c->socket, peer);
    diag d = context_diag(s->context, peer);
    diag_report(&d, DIAG_POST_REFUSED, "%s", text);
}
