#include "select/name_tree.h"

#include "metadata/index.h"
#include "select/selection_rule.h"

#include <stdlib.h>

/* ---- Looking --------------------------------------------------------------------------------------------------- */

/* Four bytes at a time. */
static uint32_t hash_of(uint32_t parent, bool parameters, bytes text) {
    const uint32_t factor = 0x85EBCA6Bu;
    uint32_t hash = (parent + 1) * 0x9E3779B1u + parameters;
    size_t at = 0;
    for (; at + 4 <= text.size; at += 4) {
        hash = (hash ^ load_u32(text.data + at)) * factor;
        hash ^= hash >> 15;
    }
    for (; at < text.size; at++)
        hash = (hash ^ text.data[at]) * factor;
    hash ^= hash >> 13;
    hash *= 0xC2B2AE35u;
    return hash ^ hash >> 16;
}

/* The slot of the node, or the free one where it belongs. */
static uint32_t find(const name_tree *t, uint32_t parent, bool parameters, bytes text, uint32_t hash) {
    uint32_t slot = hash & t->slot_mask;
    for (; t->slots[slot] != NAME_TREE_NONE; slot = (slot + 1) & t->slot_mask) {
        const name_node *n = &t->nodes[t->slots[slot]];
        if (n->hash == hash && n->parent == parent && n->parameters == parameters &&
            bytes_equal((bytes){n->text, n->size}, text))
            break;
    }
    return slot;
}

static bytes without_arities(bytes part) {
    while (part.size > 0 && part.data[part.size - 1] <= '9' && md_name_arity(part, &part.size) != 0)
        ;
    return part;
}

uint32_t name_tree_part(const name_tree *t, uint32_t node, bytes part) {
    part = without_arities(part);
    return t->slots[find(t, node, false, part, hash_of(node, false, part))];
}

uint32_t name_tree_parameters(const name_tree *t, uint32_t node, bytes text) {
    return t->slots[find(t, node, true, text, hash_of(node, true, text))];
}

/* ---- Building -------------------------------------------------------------------------------------------------- */

static bool all_literal(const pattern_part *parts, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (!parts[i].literal)
            return false;
    return true;
}

/* True if the tree holds it. */
static bool is_exact(const pattern *p) {
    return !p->attribute && p->part_count > 0 && all_literal(p->parts, p->part_count);
}

static uint32_t add_node(name_tree *t, uint32_t parent, bool parameters, bytes text) {
    uint32_t hash = hash_of(parent, parameters, text), slot = find(t, parent, parameters, text, hash);
    if (t->slots[slot] != NAME_TREE_NONE)
        return t->slots[slot];
    t->nodes[t->node_count] = (name_node){
        .text = text.data, .size = (uint32_t)text.size, .parent = parent, .hash = hash, .parameters = parameters};
    t->nodes[parent].overloads |= parameters;
    return t->slots[slot] = t->node_count++;
}

static bytes parameters_of(const pattern *p) {
    if (p->parameter_count == 0)
        return (bytes){0};
    const bytes *first = &p->parameters[0].text, *last = &p->parameters[p->parameter_count - 1].text;
    return (bytes){first->data, (size_t)(last->data + last->size - first->data)};
}

static void add_rule(name_tree *t, const pattern *p, uint32_t position) {
    uint32_t node = NAME_TREE_ROOT;
    for (unsigned i = 0; i < p->part_count; i++)
        node = add_node(t, node, false, without_arities(p->parts[i].text));
    bool open = p->has_parameters && !all_literal(p->parameters, p->parameter_count);
    if (p->has_parameters && !open)
        node = add_node(t, node, true, parameters_of(p));
    uint32_t *chain = open ? &t->nodes[node].open_rules : &t->nodes[node].rules;
    t->before[position] = *chain;
    *chain = position + 1;
}

/* The least power of two that leaves half of the slots free. */
static uint32_t slots_for(uint32_t nodes) {
    uint32_t slots = 4;
    while (slots / 2 < nodes)
        slots *= 2;
    return slots;
}

/* Into the arena, without the room that turned out to be too much. */
static bool settle(name_tree *t, arena *a) {
    name_node *nodes = arena_alloc_array(a, t->node_count, sizeof *nodes);
    uint32_t count = slots_for(t->node_count), *slots = arena_alloc_array(a, count, sizeof *slots);
    if (!nodes || !slots)
        return false;
    memcpy(nodes, t->nodes, t->node_count * sizeof *nodes);
    t->nodes = nodes;
    t->slots = slots;
    t->slot_mask = count - 1;
    for (uint32_t i = NAME_TREE_ROOT + 1; i < t->node_count; i++) {
        uint32_t slot = nodes[i].hash & t->slot_mask;
        while (slots[slot] != NAME_TREE_NONE)
            slot = (slot + 1) & t->slot_mask;
        slots[slot] = i;
    }
    return true;
}

name_tree *name_tree_build(const selection_rule *rules, uint32_t count, arena *a) {
    name_tree made = {.node_count = NAME_TREE_ROOT + 1, .rule_count = count};
    uint32_t most = made.node_count; /* nodes; a selection holds at most 100,000 rules of 61 parts */
    for (uint32_t i = 0; i < count; i++) {
        const pattern *p = &rules[i].pattern;
        if (is_exact(p))
            most += p->part_count + 1;
        else
            made.other_count++;
    }
    name_tree *t = arena_alloc(a, sizeof *t);
    made.before = arena_alloc_array(a, count + 1u, sizeof *made.before);
    made.others = arena_alloc_array(a, made.other_count + 1u, sizeof *made.others);
    made.slot_mask = slots_for(most) - 1;
    name_node *nodes = made.nodes = calloc(most, sizeof *nodes);
    uint32_t *slots = made.slots = calloc(made.slot_mask + 1u, sizeof *slots);
    bool done = t && made.before && made.others && nodes && slots;
    for (uint32_t i = 0, other = 0; done && i < count; i++)
        if (is_exact(&rules[i].pattern))
            add_rule(&made, &rules[i].pattern, i);
        else
            made.others[other++] = i;
    done = done && settle(&made, a);
    free(nodes);
    free(slots);
    if (!done)
        return NULL;
    *t = made;
    return t;
}
