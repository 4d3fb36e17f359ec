% Who is a grandparent of whom? The rules may use mother/2 and father/2, and parent/2, which bk.pl defines.
head_pred(grandparent,2).
body_pred(mother,2).
body_pred(father,2).
body_pred(parent,2).

type(grandparent,(person,person)).
type(mother,(person,person)).
type(father,(person,person)).
type(parent,(person,person)).

max_vars(3).
max_body(3).
