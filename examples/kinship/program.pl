grandparent(A,B) :- parent(A,C), parent(C,B).
